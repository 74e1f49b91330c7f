package sandbox

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/render"
)

// setup is the first message to a process: the bounds it puts itself under.
type setup struct {
	// Memory is in bytes.
	Memory int64
}

// question is a request on its way to a process. Trees travel as JSON; the order of everything is fixed, so that equal
// requests have equal bytes.
type question struct {
	Release      object.Release
	Chart        string // its digest
	Values       []byte
	Capabilities render.Capabilities
	Found        []foundObject
	Limits       render.Limits
	// Files is the chart itself. It is sent when the process asks for it.
	Files []chart.File
}

type foundObject struct {
	Key    render.LookupKey
	Object []byte
}

// answer is what a process sends back: a wish for the chart, a release, or a failure.
type answer struct {
	NeedChart bool
	Failure   *failure
	Release   wireRelease
}

// failure is a render.Error without its cause, which does not travel.
type failure struct {
	Kind     render.ErrorKind
	Template string
	Text     string
}

// wireRelease is a release whose objects are JSON.
type wireRelease struct {
	Objects     []byte
	HookObjects []byte
	Hooks       []render.Hook // without their objects
	Definitions []byte
	Notes       string
	AppVersion  string
	Warnings    []render.Warning
	Lookups     []render.LookupKey
}

// ask puts a request into a question, without the files of its chart.
func ask(req render.Request) (question, error) {
	values, err := json.Marshal(req.Values)
	if err != nil {
		return question{}, &render.Error{Kind: render.Values, Text: "the values hold a number that is infinite or none", Cause: err}
	}
	q := question{
		Release: req.Release, Chart: req.Chart.Digest, Values: values, Limits: req.Limits,
		Capabilities: render.Capabilities{
			KubeVersion: req.Capabilities.KubeVersion,
			APIVersions: slices.Compact(slices.Sorted(slices.Values(req.Capabilities.APIVersions))),
		},
	}
	for _, key := range slices.SortedFunc(maps.Keys(req.Found), compareKeys) {
		live, err := json.Marshal(req.Found[key])
		if err != nil {
			return question{}, &render.Error{Kind: render.Input, Text: fmt.Sprintf("the live %s %s cannot be read", key.Kind, key.Name), Cause: err}
		}
		q.Found = append(q.Found, foundObject{Key: key, Object: live})
	}
	return q, nil
}

func compareKeys(a, b render.LookupKey) int {
	return cmp.Or(
		cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
	)
}

// digest tells equal questions from others.
func (q question) digest() (string, error) {
	q.Files = nil
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(q); err != nil {
		return "", fmt.Errorf("encoding a render request: %w", err)
	}
	sum := sha256.Sum256(body.Bytes())
	return hex.EncodeToString(sum[:]), nil
}
