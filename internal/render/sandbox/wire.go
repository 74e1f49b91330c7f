package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/portcullis-operator/portcullis/internal/render"
)

// request turns a question back into a request. The chart is not part of it.
func (q question) request() (render.Request, error) {
	req := render.Request{Release: q.Release, Capabilities: q.Capabilities, Limits: q.Limits, Found: map[render.LookupKey]map[string]any{}}
	if err := json.Unmarshal(q.Values, &req.Values); err != nil {
		return render.Request{}, fmt.Errorf("reading the values: %w", err)
	}
	for _, found := range q.Found {
		var live map[string]any
		if err := utiljson.Unmarshal(found.Object, &live); err != nil {
			return render.Request{}, fmt.Errorf("reading a live object: %w", err)
		}
		req.Found[found.Key] = live
	}
	return req, nil
}

// reply puts the result of a render into an answer.
func reply(r render.Release, err error) answer {
	if err != nil {
		var failed *render.Error
		if !errors.As(err, &failed) {
			failed = &render.Error{Kind: render.Internal, Text: err.Error()}
		}
		return answer{Failure: &failure{Kind: failed.Kind, Template: failed.Template, Text: failed.Text}}
	}
	wire, err := pack(r)
	if err != nil {
		return answer{Failure: &failure{Kind: render.Internal, Text: err.Error()}}
	}
	return answer{Release: wire}
}

func pack(r render.Release) (wireRelease, error) {
	wire := wireRelease{Notes: r.Notes, AppVersion: r.AppVersion, Warnings: r.Warnings, Lookups: r.Lookups}
	hookObjects := make([]*unstructured.Unstructured, 0, len(r.Hooks))
	for _, hook := range r.Hooks {
		hookObjects = append(hookObjects, hook.Object)
		hook.Object = nil
		wire.Hooks = append(wire.Hooks, hook)
	}
	var err error
	if wire.Objects, err = packObjects(r.Objects); err != nil {
		return wireRelease{}, err
	}
	if wire.HookObjects, err = packObjects(hookObjects); err != nil {
		return wireRelease{}, err
	}
	wire.Definitions, err = packObjects(r.Definitions)
	return wire, err
}

func packObjects(objects []*unstructured.Unstructured) ([]byte, error) {
	contents := make([]map[string]any, len(objects))
	for i, u := range objects {
		contents[i] = u.Object
	}
	data, err := json.Marshal(contents)
	if err != nil {
		return nil, fmt.Errorf("encoding rendered objects: %w", err)
	}
	return data, nil
}

// result turns an answer back into what Render returns. Every call makes objects of its own.
func (a answer) result() (render.Release, error) {
	if f := a.Failure; f != nil {
		return render.Release{}, &render.Error{Kind: f.Kind, Template: f.Template, Text: f.Text}
	}
	r, err := a.Release.unpack()
	if err != nil {
		return render.Release{}, &render.Error{Kind: render.Internal, Text: "the render process sent objects that cannot be read", Cause: err}
	}
	return r, nil
}

func (w wireRelease) unpack() (render.Release, error) {
	r := render.Release{Notes: w.Notes, AppVersion: w.AppVersion}
	r.Warnings = append(r.Warnings, w.Warnings...)
	r.Lookups = append(r.Lookups, w.Lookups...)
	var err error
	if r.Objects, err = unpackObjects(w.Objects); err != nil {
		return render.Release{}, err
	}
	if r.Definitions, err = unpackObjects(w.Definitions); err != nil {
		return render.Release{}, err
	}
	hookObjects, err := unpackObjects(w.HookObjects)
	if err != nil {
		return render.Release{}, err
	}
	if len(hookObjects) != len(w.Hooks) {
		return render.Release{}, errNoFrame
	}
	for i, hook := range w.Hooks {
		r.Hooks = append(r.Hooks, render.Hook{
			Object: hookObjects[i], Weight: hook.Weight,
			Events: append([]string(nil), hook.Events...), DeletePolicies: append([]string(nil), hook.DeletePolicies...),
		})
	}
	return r, nil
}

// unpackObjects reads whole numbers as integers, as a render in this process does.
func unpackObjects(data []byte) ([]*unstructured.Unstructured, error) {
	var contents []any
	if err := utiljson.Unmarshal(data, &contents); err != nil {
		return nil, fmt.Errorf("reading rendered objects: %w", err)
	}
	var out []*unstructured.Unstructured
	for _, content := range contents {
		fields, ok := content.(map[string]any)
		if !ok {
			return nil, errNoFrame
		}
		out = append(out, &unstructured.Unstructured{Object: fields})
	}
	return out, nil
}
