// Package invalid holds resources that must be refused or warned of, one file for each mistake and named for it. The
// API server, the webhook, the reconciler's own check and the offline CLI are all held to the same files.
//
// Beside <mistake>.yaml stands <mistake>.want with the faults that are expected, and <mistake>.old.yaml where the
// mistake is a change of a stored object.
//
// Test only.
package invalid

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

//go:embed */*.yaml */*.want
var files embed.FS

// By says who refuses an example.
type By string

const (
	// Definition examples are refused by the resource definition, so by the API server alone as well.
	Definition By = "definition"
	// Strict examples hold a field the definition does not have. The API server refuses them while it decodes, before
	// any webhook.
	Strict By = "strict"
	// Rules examples pass the definition and are refused by our own rules.
	Rules By = "rules"
	// Chart examples pass both and are refused, or warned of where their name starts with warned-, over what the chart
	// makes of their values. They are the kind "chart", and Want.Faults is everything the whole check says of them.
	Chart By = "chart"
)

// Fault is one expected fault, in words that need no other package.
type Fault struct {
	// Severity is "error" or "warning".
	Severity string `json:"severity"`
	// Code of the rule.
	Code string `json:"code"`
	// Field the fault is reported at.
	Field string `json:"field"`
	// Message in full.
	Message string `json:"message"`
}

// Want is what a door must answer to an example.
type Want struct {
	// By says who refuses it.
	By By `json:"by"`
	// Server lists the fields the API server alone names, where they are not the fields of Faults: it leaves its CEL
	// rules out after some faults, and knows metadata as a whole only.
	Server []string `json:"server,omitempty"`
	// Faults in canonical order.
	Faults []Fault `json:"faults"`
}

// Example is one resource with one mistake.
type Example struct {
	// Name of the mistake.
	Name string
	// File is the YAML as a person would write it, for doors that read files.
	File []byte
	// Object is the resource, Old the stored one before it; Old is nil on create.
	Object, Old *unstructured.Unstructured
	// Want is the expected answer.
	Want Want
}

// Examples returns the examples of a kind, given in lower case, ordered by name.
func Examples(kind string) ([]Example, error) {
	names, err := fs.Glob(files, kind+"/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the examples of %s: %w", kind, err)
	}
	var out []Example
	for _, name := range names {
		if strings.HasSuffix(name, ".old.yaml") {
			continue
		}
		e, err := read(strings.TrimSuffix(name, ".yaml"))
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func read(base string) (Example, error) {
	e := Example{Name: path.Base(base)}
	var err error
	if e.File, err = files.ReadFile(base + ".yaml"); err != nil {
		return e, fmt.Errorf("read the example %s: %w", base, err)
	}
	if e.Object, err = decode(e.File); err != nil {
		return e, fmt.Errorf("decode the example %s: %w", base, err)
	}
	if old, err := files.ReadFile(base + ".old.yaml"); err == nil {
		if e.Old, err = decode(old); err != nil {
			return e, fmt.Errorf("decode the stored object of %s: %w", base, err)
		}
	}
	want, err := files.ReadFile(base + ".want")
	if err != nil {
		return e, fmt.Errorf("read what is expected of %s: %w", base, err)
	}
	if err := yaml.UnmarshalStrict(want, &e.Want); err != nil {
		return e, fmt.Errorf("decode what is expected of %s: %w", base, err)
	}
	return e, nil
}

// decode reads an object with the library kubectl uses, whole numbers as int64.
func decode(data []byte) (*unstructured.Unstructured, error) {
	raw, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	return u, nil
}
