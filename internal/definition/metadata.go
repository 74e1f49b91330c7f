package definition

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// metadata tells the errors of names, labels, annotations and the rest of what every object has. The libraries report
// labels and annotations as a whole; a person is told which one it is.
func (t *teller) metadata(errs field.ErrorList) []rules.Fault {
	var faults []rules.Fault
	for _, e := range errs {
		text, isText := e.BadValue.(string)
		if e.Type != field.ErrorTypeInvalid || !isText || (e.Field != "metadata.labels" && e.Field != "metadata.annotations") {
			faults = append(faults, t.structural(field.ErrorList{e})...)
			continue
		}
		entries, _ := at(t.written, e.Field)
		keys := guilty(entries, text, e.Detail)
		if len(keys) == 0 {
			faults = append(faults, t.structural(field.ErrorList{e})...)
		}
		for _, key := range keys {
			name, words := e.Field+"."+key, plainDetail(e.Detail)
			if key == text {
				words = ofKey(words)
			} else {
				words += t.found(name, text)
			}
			faults = append(faults, fault(rules.FieldInvalid, name, words, text))
		}
	}
	return faults
}

// ofKey says that it is the key of an entry that is wrong.
func ofKey(words string) string {
	for part, plain := range map[string]string{"name part ": "its key ", "prefix part ": "the prefix of its key "} {
		if rest, ok := strings.CutPrefix(words, part); ok {
			return plain + rest
		}
	}
	return "its key " + words
}

// plainDetail drops what the libraries say to programs: the path again, «in body», and «should» where they mean must.
func plainDetail(detail string) string {
	if _, after, ok := strings.Cut(detail, " in body "); ok {
		detail = after
	}
	if after, ok := strings.CutPrefix(detail, "should "); ok {
		detail = "must " + after
	}
	if detail == "must be at least 1 chars long" {
		return "must not be empty"
	}
	return plainNames(strings.ReplaceAll(detail, " chars long", " characters long"))
}

// plainNames puts what the libraries say of names into plain words, without the expression they check with.
func plainNames(detail string) string {
	const ends = ", and start and end with a letter or a digit"
	for _, said := range []struct{ start, plain string }{
		{"a valid label must be an empty string or", "must be empty, or letters, digits, dashes, underscores and dots that start and end with a letter or a digit"},
		{"a valid label key", "must be a name, or a prefix and a name with one / between them"},
		{"a lowercase RFC 1123 label must", "must be lower-case letters, digits and dashes" + ends},
		{"a lowercase RFC 1123 subdomain must", "must be lower-case letters, digits, dashes and dots" + ends},
		{"must consist of alphanumeric characters, '-', '_' or '.'", "must be letters, digits, dashes, underscores and dots" + ends},
		{"must be no more than 63 bytes", "must have at most 63 characters"},
		{"must be no more than 253 bytes", "must have at most 253 characters"},
		{"must be non-empty", "must not be empty"},
	} {
		if before, _, ok := strings.Cut(detail, said.start); ok {
			return before + said.plain
		}
	}
	detail, _, _ = strings.Cut(detail, " (regex used for validation is ")
	return detail
}

// guilty returns the entries an error speaks of: the one of that key, or those of that value.
func guilty(entries any, text, detail string) []string {
	table, _ := entries.(map[string]any)
	if _, isKey := table[text]; isKey && slices.Contains(validation.IsQualifiedName(strings.ToLower(text)), detail) {
		return []string{text}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(table)), func(key string) bool { return table[key] != text })
}
