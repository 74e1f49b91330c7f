package cli

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// commandSecrets is the name of the command that says what becomes of declared Secrets.
const commandSecrets = "secrets plan"

// kindSecrets is the kind the command reads.
const kindSecrets = "GitLabSecrets"

// secretsPlan says what becomes of every Secret each GitLabSecrets declares. It generates nothing and prints no value.
func (c *command) secretsPlan(ctx context.Context) (int, error) {
	b, err := c.load(c.files)
	if err != nil {
		return 0, err
	}
	answer := &secretsAnswer{}
	live, err := c.live(&answer.report)
	if err != nil {
		return 0, err
	}
	broken, declared := answer.report.summary.Failed > 0, 0
	for _, d := range b.documents {
		if kind, _ := d.content["kind"].(string); d.broken == "" && kind != kindSecrets {
			continue
		}
		declared++
		failed := answer.report.summary.Failed
		if _, err := c.judge(ctx, b, d, &answer.report, request{strict: true}); err != nil {
			return 0, err
		}
		if broken || answer.report.summary.Failed > failed {
			continue // A plan on what is wrong would promise what will not happen.
		}
		if err := c.decide(b.checker, d, live, answer); err != nil {
			return 0, err
		}
	}
	if declared == 0 {
		return 0, cannot("there is no %s in %s", kindSecrets, strings.Join(c.files, ", "))
	}
	if len(c.existing) == 0 && len(answer.plans) > 0 {
		say(c.Stderr, "%s: without --existing every Secret counts as missing\n", c.Name)
	}
	if err := c.writeSecrets(answer); err != nil {
		return 0, err
	}
	return answer.code(), nil
}

// decide adds the plan of one GitLabSecrets to the answer.
func (c *command) decide(k *checker, d document, live liveSecrets, answer *secretsAnswer) error {
	there, foreign, err := live.of(d)
	if err != nil {
		return err
	}
	if foreign > 0 {
		say(c.Stderr, "%s: Secrets of other namespaces than that of %s, passed over: %d\n", c.Name, d.named(), foreign)
	}
	decided, err := k.secrets(d, there)
	if err != nil {
		return err
	}
	decided.File, decided.Line, decided.Resource = d.file, d.place("").line, d.named()
	answer.add(decided)
	return nil
}

// liveSecret is a Secret that is there.
type liveSecret struct {
	document   document
	namespace  string
	name       string
	secretType string
	immutable  bool
	data       map[string][]byte
}

// liveSecrets are the Secrets of a cluster as files hold them.
type liveSecrets []liveSecret

// live reads the Secrets --existing names. What keeps one from being read goes into the report.
func (c *command) live(r *report) (liveSecrets, error) {
	if len(c.existing) == 0 {
		return nil, nil
	}
	sources, err := c.read(c.existing)
	if err != nil {
		return nil, err
	}
	var out liveSecrets
	for _, s := range sources {
		for _, d := range documents(s) {
			kind, _ := d.content["kind"].(string)
			version, _ := d.content["apiVersion"].(string)
			switch {
			case d.broken != "":
				r.add(d, []located{{place{d.brokenLine, 1}, rules.Fault{Code: rules.ManifestInvalid, Message: d.broken}}})
			case kind == "Secret" && version == "v1":
				secret, faults := readLive(d)
				if first := out.same(secret); first != nil {
					faults = append(faults, rules.Fault{Code: rules.FieldDuplicate, Field: "metadata.name",
						Message: fmt.Sprintf("is a Secret that is there already, in %s line %d: keep one", first.document.file, first.document.place("").line)})
				}
				if len(faults) > 0 {
					r.add(d, d.locate(faults))
				}
				out = append(out, secret)
			}
		}
	}
	return out, nil
}

// same returns a Secret of the same name and namespace.
func (l liveSecrets) same(s liveSecret) *liveSecret {
	for i := range l {
		if l[i].name == s.name && l[i].namespace == s.namespace {
			return &l[i]
		}
	}
	return nil
}

// readLive reads one Secret as the API server would. No fault quotes a value.
func readLive(d document) (liveSecret, []rules.Fault) {
	s := liveSecret{document: d, data: map[string][]byte{}}
	metadata, _ := d.content["metadata"].(map[string]any)
	s.name, _ = metadata["name"].(string)
	s.namespace, _ = metadata["namespace"].(string)
	s.secretType, _ = d.content["type"].(string)
	s.immutable, _ = d.content["immutable"].(bool)
	var faults []rules.Fault
	for _, field := range []string{"data", "stringData"} {
		table, ok := d.content[field].(map[string]any)
		if !ok && d.content[field] != nil {
			faults = append(faults, rules.Fault{Code: rules.FieldInvalid, Field: field, Message: "must be a map of keys and their values"})
		}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			value, problem := liveValue(field, table[key])
			if problem != "" {
				faults = append(faults, rules.Fault{Code: rules.FieldInvalid, Field: field + "." + key, Message: problem})
			}
			s.data[key] = value
		}
	}
	return s, faults
}

func liveValue(field string, value any) (content []byte, problem string) {
	text, ok := value.(string)
	switch {
	case value == nil:
		return []byte{}, "" // The API server stores a null as an empty value.
	case !ok:
		return nil, "must be a string: put it in quotes"
	case field == "stringData":
		return []byte(text), ""
	}
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, "is not base64; write plain text under stringData"
	}
	return decoded, ""
}

// of returns the Secrets in the namespace of a document, by name, and how many others there are. A namespace that is
// written on one side only counts as the same.
func (l liveSecrets) of(d document) (there map[string]liveSecret, foreign int, err error) {
	metadata, _ := d.content["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	there = make(map[string]liveSecret, len(l))
	for _, s := range l {
		if s.namespace != "" && namespace != "" && s.namespace != namespace {
			foreign++
			continue
		}
		if other, twice := there[s.name]; twice {
			return nil, 0, cannot("Secret %s is there in %s line %d and in %s line %d, of different namespaces: write its namespace into %s", s.name,
				other.document.file, other.document.place("").line, s.document.file, s.document.place("").line, d.named())
		}
		there[s.name] = s
	}
	return there, foreign, nil
}
