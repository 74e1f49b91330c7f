package definition

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// nameField is where every rule about metadata points: a definition can constrain nothing of it but the name.
const nameField = "metadata.name"

// masked stands for what a message must not show, as everywhere in the product.
const masked = "[masked]"

// foundMark opens the part of a message that shows what was found.
const foundMark = " (found "

// teller turns the errors of the API server's libraries into faults a person can act on.
type teller struct {
	kind *kind
	// written is the object as the person wrote it, stored the one before; stored is nil without one.
	written, stored map[string]any
	// stopped says that a fault was found before the schema was looked at; update that the change itself is judged.
	stopped, update bool
}

// structural tells the errors of types, bounds and required fields.
func (t *teller) structural(errs field.ErrorList) []rules.Fault {
	faults := make([]rules.Fault, 0, len(errs))
	wrongType := mistyped(errs)
	for _, e := range errs {
		if path, format, ok := outOfRange(e.Detail); ok {
			value, _ := at(t.written, path)
			faults = append(faults, fault(rules.FieldInvalid, path, tooLarge(format, value), value))
			continue
		}
		name := fieldOf(e)
		if wrongType[name] && e.Type != field.ErrorTypeTypeInvalid {
			continue
		}
		value, present := at(t.written, name)
		f := fault(rules.FieldInvalid, name, t.sentence(e, name, value, present), value)
		if e.Type == field.ErrorTypeRequired && !present {
			f.Value = rules.Absent
		}
		faults = append(faults, f)
	}
	return faults
}

// mistyped returns the fields whose value is of the wrong type or no number of its format. What their bounds and their
// lists of words say of such a value is the same mistake once more.
func mistyped(errs field.ErrorList) map[string]bool {
	out := make(map[string]bool)
	for _, e := range errs {
		if path, _, ok := outOfRange(e.Detail); ok {
			out[path] = true
		} else if e.Type == field.ErrorTypeTypeInvalid {
			out[fieldOf(e)] = true
		}
	}
	return out
}

// outOfRange reads the one error the libraries report at the root with the path in its text: a number its format cannot
// hold.
func outOfRange(detail string) (path, format string, ok bool) {
	rest, ok := strings.CutPrefix(detail, "Checked value must be of type ")
	if !ok {
		return "", "", false
	}
	format, path, ok = strings.Cut(rest, " in ")
	return path, format, ok
}

func tooLarge(format string, value any) string {
	switch v, _ := value.(float64); {
	case strings.HasPrefix(format, "integer") && v != math.Trunc(v):
		return notA("integer", value)
	case strings.HasSuffix(format, "int32"):
		return "must be a whole number between -2147483648 and 2147483647"
	case strings.HasPrefix(format, "integer"):
		return "must be a whole number of at most 18 digits"
	}
	return "must be a smaller number"
}

// rules tells the errors of the CEL rules. After a structural fault a rule that could not run is left out: the fault
// that stopped it is already told.
func (t *teller) rules(errs field.ErrorList, afterFault bool) []rules.Fault {
	faults := make([]rules.Fault, 0, len(errs))
	for _, e := range errs {
		if (afterFault || t.stopped) && evaluationTrouble(e) {
			continue
		}
		name := fieldOf(e)
		if name == "metadata" {
			name = nameField
		}
		value, present := at(t.written, name)
		text := e.Detail
		if _, rule, ok := strings.Cut(text, " evaluating rule: "); ok {
			text = "this rule cannot be applied to what is there: " + rule
		}
		before, stood := at(t.stored, name)
		switch {
		case t.update && stood && present && scalar(before) && !same(before, value):
			text += fmt.Sprintf(foundMark+"%s, before %s)", t.printable(name, value), t.printable(name, before))
		case present:
			text += t.found(name, value)
		}
		f := fault(rules.RuleViolated, name, text, value)
		if e.Type == field.ErrorTypeRequired && !present {
			f.Value = rules.Absent
		}
		faults = append(faults, f)
	}
	return faults
}

// sentence says what is expected and what was found.
func (t *teller) sentence(e *field.Error, name string, value any, present bool) string {
	switch e.Type {
	case field.ErrorTypeRequired:
		if e.Detail != "" {
			return e.Detail
		}
		return "is required and missing"
	case field.ErrorTypeTypeInvalid:
		return notA(t.typeAt(name), value)
	case field.ErrorTypeNotSupported:
		return "must be " + t.allowedAt(name) + t.found(name, value)
	case field.ErrorTypeTooLong:
		return tooLong(e, value)
	case field.ErrorTypeTooMany:
		return "must have " + strings.TrimPrefix(e.Detail, "must have ") + count(value)
	case field.ErrorTypeDuplicate:
		return "is there twice" + t.found(name, e.BadValue)
	case field.ErrorTypeInvalid, field.ErrorTypeForbidden, field.ErrorTypeNotFound, field.ErrorTypeInternal,
		field.ErrorTypeTooFew, field.ErrorTypeTooShort:
	}
	text := plainDetail(e.Detail)
	if present {
		text += t.found(name, value)
	}
	return text
}

func tooLong(e *field.Error, value any) string {
	limit := strings.TrimPrefix(e.Detail, "may not be more than ")
	limit = strings.NewReplacer(" bytes", " characters", "may not be longer than ", "").Replace(limit)
	text, _ := value.(string)
	return fmt.Sprintf("must have at most %s, not %d", limit, len([]rune(text)))
}

func count(value any) string {
	switch v := value.(type) {
	case []any:
		return fmt.Sprintf(" (found %d)", len(v))
	case map[string]any:
		return fmt.Sprintf(" (found %d)", len(v))
	}
	return ""
}

// notA says that a value is of another type than the definition wants.
func notA(want string, value any) string {
	text := "must be " + typeWord(want) + ", not " + kindWord(value)
	if want != "string" {
		return text
	}
	switch value.(type) {
	case bool, int64, float64, int, json.Number:
		return text + ": write it in quotes"
	}
	return text
}

func typeWord(want string) string {
	switch want {
	case "string":
		return "a string"
	case "integer":
		return "a whole number"
	case "number":
		return "a number"
	case "boolean":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "a map of fields"
	}
	return "of another type"
}

func kindWord(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any:
		return "a map of fields"
	case float64:
		if v == math.Trunc(v) {
			return "a whole number"
		}
		return "a number with a fraction"
	}
	return "a whole number"
}

// fieldOf returns the path of an error; an error of the object as a whole has none.
func fieldOf(e *field.Error) string {
	if e.Field == "<nil>" {
		return ""
	}
	return strings.TrimPrefix(e.Field, ".")
}

// found prints a scalar behind a sentence. Maps and lists would only hide it, and an empty or masked text says nothing.
func found(name string, value any) string { return foundText(printable(name, value), value) }

func (t *teller) found(name string, value any) string {
	return foundText(t.printable(name, value), value)
}

func foundText(text string, value any) string {
	if !scalar(value) || value == "" || text == masked {
		return ""
	}
	return foundMark + text + ")"
}

func scalar(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

func same(a, b any) bool { return digest(a) == digest(b) }

// printable shows the numbers and the words of a list of words that the definition itself declares whatever they stand
// under: below spec.secrets of a GitLabSecrets every key looks like a secret, and these never are one.
func (t *teller) printable(name string, value any) string {
	if s := schemaAt(t.kind.structural, name); s != nil {
		if _, text := value.(string); s.Type == "integer" && !text || s.ValueValidation != nil && len(s.ValueValidation.Enum) > 0 {
			return values.Masked(nil, value)
		}
	}
	return printable(name, value)
}

// printable is a value as a message may show it: masked below a sensitive key, and without the user part of an address.
func printable(name string, value any) string {
	if text, ok := value.(string); ok {
		value = userInfo().ReplaceAllString(text, "//"+masked+"@")
	}
	return values.Masked(strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '[' || r == ']' }), value)
}

func userInfo() *regexp.Regexp { return regexp.MustCompile(`//[^/?#\s]*@`) }

// fault makes an error at a field; value is kept as a digest only.
func fault(code rules.Code, name, text string, value any) rules.Fault {
	return rules.Fault{Severity: rules.Error, Code: code, Field: name, Message: text, Value: digest(value)}
}

func digest(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
