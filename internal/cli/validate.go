package cli

import (
	"context"
	"errors"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// validate checks every resource it is given and prints the verdict on each.
func (c *command) validate(ctx context.Context) (int, error) {
	b, err := c.load(c.flags.Args())
	if err != nil {
		return 0, err
	}
	r := report{strict: c.failOnWarning}
	for _, d := range b.documents {
		if _, err := c.judge(ctx, b, d, &r, request{strict: true, noRender: c.noRender}); err != nil {
			return 0, err
		}
	}
	if err := r.write(c.Stdout, c.output); err != nil {
		return 0, err
	}
	return r.code(), nil
}

// bundle is everything one run was given.
type bundle struct {
	documents []document
	store     store
	checker   *checker
}

// load reads the files and prepares the check of what is in them.
func (c *command) load(paths []string) (*bundle, error) {
	sources, err := c.read(paths)
	if err != nil {
		return nil, err
	}
	b := &bundle{store: store{}}
	for _, s := range sources {
		b.documents = append(b.documents, documents(s)...)
	}
	for i := range b.documents {
		b.documents[i].faults = b.store.add(b.documents[i])
	}
	if b.checker, err = newChecker(c, b.store); err != nil {
		return nil, err
	}
	return b, nil
}

// judge puts the verdict on one document into the report and returns what its check led to; nil where there was none.
func (c *command) judge(ctx context.Context, b *bundle, d document, r *report, req request) (*reviewed, error) {
	switch {
	case d.broken != "":
		r.add(d, []located{{place{d.brokenLine, 1}, rules.Fault{Code: rules.ManifestInvalid, Message: d.broken}}})
		return nil, nil
	case !d.isOurs(b.checker):
		r.skip(d, d.locate(d.faults))
		return nil, nil
	}
	found, known := d.own(b.checker)
	if !known {
		r.add(d, found)
		return nil, nil
	}
	seen, err := b.checker.review(ctx, d.object(), req)
	if ctx.Err() != nil {
		return nil, cannot("interrupted, so there is no verdict")
	}
	if _, ours := errors.AsType[*trouble](err); ours {
		return nil, err
	} else if err != nil {
		r.fail(d, found, err)
		return nil, nil
	}
	r.add(d, append(found, d.locate(seen.faults)...))
	return seen, nil
}

// located is a fault with the place in the file it belongs to.
type located struct {
	at    place
	fault rules.Fault
}

func (d document) locate(faults []rules.Fault) []located {
	out := make([]located, len(faults))
	for i, f := range faults {
		out[i] = located{d.place(f.Field), f}
	}
	return out
}
