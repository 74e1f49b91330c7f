package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Registry reads images from their registries. It shows a registry the pull Secret it is given or nothing: never what
// the machine it runs on knows. The zero value is ready; its methods may run at the same time.
type Registry struct {
	// Transport sends the requests; nil is that of net/http.
	Transport http.RoundTripper
	// PlainHTTP also asks registries that speak no TLS. Credentials then travel in the clear.
	PlainHTTP bool
}

// Digest returns the digest of what the reference names now, without reading it. pullSecret is the content of a
// .dockerconfigjson, nil for none. Every error is a *FetchError.
func (r Registry) Digest(ctx context.Context, image string, pullSecret []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, maxDigestTime)
	defer cancel()
	p, err := r.open(image, pullSecret)
	if err != nil {
		return "", failed(image, credentials{}, err)
	}
	if head, headErr := p.puller.Head(ctx, p.reference); headErr == nil {
		return head.Digest.String(), nil
	}
	// A registry may not answer HEAD or not name the digest; whatever is wrong, GET says it better.
	got, err := p.puller.Get(ctx, p.reference)
	if err != nil {
		return "", p.failed(image, err)
	}
	return got.Digest.String(), nil
}

// Read returns the tables of the image. pullSecret is the content of a .dockerconfigjson, nil for none. Of an image of
// several platforms it takes linux/amd64, or else the first: tables are text. Every error is a *FetchError.
func (r Registry) Read(ctx context.Context, image string, pullSecret []byte) (Content, error) {
	ctx, cancel := context.WithTimeout(ctx, maxReadTime)
	defer cancel()
	p, err := r.open(image, pullSecret)
	if err != nil {
		return Content{}, failed(image, credentials{}, err)
	}
	top, err := p.puller.Get(ctx, p.reference)
	if err != nil {
		return Content{}, p.failed(image, err)
	}
	files, err := readImage(ctx, p, top.Manifest)
	if err != nil {
		return Content{}, p.failed(image, err)
	}
	return Content{Digest: top.Digest.String(), Files: files}, nil
}

// pull is the fetch of one image.
type pull struct {
	reference name.Reference
	auth      credentials
	guard     *guard
	puller    *remote.Puller
}

func (r Registry) open(image string, pullSecret []byte) (*pull, error) {
	reference, err := parseReference(image, r.PlainHTTP)
	if err != nil {
		return nil, err
	}
	auth, err := credentialsFor(reference.Context(), pullSecret)
	if err != nil {
		return nil, err
	}
	g := &guard{inner: r.Transport, plain: r.PlainHTTP}
	if g.inner == nil {
		g.inner = http.DefaultTransport
	}
	g.limit.Store(maxManifest)
	puller, err := remote.NewPuller(remote.WithAuth(auth.Authenticator), remote.WithTransport(g), remote.WithUserAgent("portcullis"),
		// Whoever asks comes again by itself, and one failed question must not hold its worker.
		remote.WithRetryBackoff(remote.Backoff{Steps: 1}))
	if err != nil {
		return nil, fmt.Errorf("prepare the fetch: %w", err)
	}
	return &pull{reference: reference, auth: auth, guard: g, puller: puller}, nil
}

// parseReference reads a reference as a container runtime does: docker.io and the tag latest may be left out.
func parseReference(image string, plain bool) (name.Reference, error) {
	options := []name.Option{name.WeakValidation}
	if plain {
		options = append(options, name.Insecure)
	}
	reference, err := name.ParseReference(image, options...)
	if err != nil {
		return nil, &fault{kind: ErrReference}
	}
	return reference, nil
}

// failed makes a FetchError of whatever ended this fetch.
func (p *pull) failed(image string, err error) error {
	return failed(image, p.auth, p.guard.reason(err))
}

// manifest fetches a manifest an index names.
func (p *pull) manifest(ctx context.Context, digest v1.Hash) ([]byte, error) {
	got, err := p.puller.Get(ctx, p.reference.Context().Digest(digest.String()))
	if err != nil {
		return nil, part("a manifest of its index", err)
	}
	return got.Manifest, nil
}

// blob opens a layer as it is stored.
func (p *pull) blob(ctx context.Context, layer v1.Descriptor) (io.ReadCloser, error) {
	p.guard.limit.Store(max(layer.Size, maxManifest))
	defer p.guard.limit.Store(maxManifest)
	l, err := p.puller.Layer(ctx, p.reference.Context().Digest(layer.Digest.String()))
	if err != nil {
		return nil, part("a layer", err)
	}
	stream, err := l.Compressed()
	if err != nil {
		return nil, part("a layer", err)
	}
	return stream, nil
}

// part says that a part of an image could not be fetched. One that is not there makes the image broken, not missing.
func part(what string, err error) error {
	var answer *transport.Error
	if errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound {
		return faultf(ErrImage, "its registry lacks %s", what)
	}
	return fmt.Errorf("fetch %s: %w", what, err)
}
