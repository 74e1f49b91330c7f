package tables_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// tarFile is one entry of a layer: a file unless kind says otherwise; a name that ends in a slash is a folder.
type tarFile struct {
	name, content string
	kind          byte
}

// layerOf packs entries the way a builder does.
func layerOf(t *testing.T, entries ...tarFile) v1.Layer {
	t.Helper()
	var plain bytes.Buffer
	w := tar.NewWriter(&plain)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(e.content)), Format: tar.FormatPAX}
		switch {
		case strings.HasSuffix(e.name, "/"):
			header.Typeflag = tar.TypeDir
		case e.kind != 0:
			header.Typeflag, header.Linkname, header.Size = e.kind, e.content, 0
		}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if header.Size > 0 {
			if _, err := io.WriteString(w, e.content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return static.NewLayer(zipped(t, &plain), types.OCILayer)
}

func zipped(t *testing.T, plain io.Reader) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.Copy(z, plain); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// imageOf stacks layers, the lowest first.
func imageOf(t *testing.T, layers ...v1.Layer) v1.Image {
	t.Helper()
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), layers...)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// oneTable is the smallest image that is one.
func oneTable(t *testing.T, table string) v1.Image {
	t.Helper()
	return imageOf(t, layerOf(t, tarFile{name: table + ".yaml", content: "table: " + table + "\n"}))
}

// shop is a registry in this process. It speaks TLS and, if it has a user, lets only that user read.
type shop struct {
	server         *httptest.Server
	user, password string
	// instead answers a request itself when it returns true.
	instead func(w http.ResponseWriter, r *http.Request) bool
	// asked are requests, as method and path.
	asked []string
	lock  sync.Mutex
}

func open(t *testing.T) *shop {
	t.Helper()
	s := &shop{}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.note(r)
		if user, password, _ := r.BasicAuth(); s.user != "" && (user != s.user || password != s.password) {
			w.Header().Set("WWW-Authenticate", `Basic realm="shop"`)
			http.Error(w, "said by the registry: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		if s.instead == nil || !s.instead(w, r) {
			inner.ServeHTTP(w, r)
		}
	}))
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.server.StartTLS()
	t.Cleanup(s.server.Close)
	return s
}

func (s *shop) note(r *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
}

// requests returns what was asked since the last call.
func (s *shop) requests() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func (s *shop) host() string { return strings.TrimPrefix(s.server.URL, "https://") }

func (s *shop) transport() http.RoundTripper { return s.server.Client().Transport }

// sell pushes an image or an index and returns its reference.
func (s *shop) sell(t *testing.T, repository string, what remote.Taggable) string {
	t.Helper()
	reference, err := name.NewTag(s.host() + "/" + repository)
	if err != nil {
		t.Fatal(err)
	}
	options := []remote.Option{remote.WithTransport(s.transport()), remote.WithAuth(&authn.Basic{Username: s.user, Password: s.password})}
	switch what := what.(type) {
	case v1.Image:
		err = remote.Write(reference, what, options...)
	case v1.ImageIndex:
		err = remote.WriteIndex(reference, what, options...)
	default:
		err = remote.Put(reference, what, options...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return reference.String()
}

// handmade is a manifest written by hand.
type handmade struct{ v1.Manifest }

func (h handmade) RawManifest() ([]byte, error) { return json.Marshal(h.Manifest) }

func (h handmade) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }

// altered is the manifest of an image after a change.
func altered(t *testing.T, image v1.Image, change func(m *v1.Manifest)) handmade {
	t.Helper()
	m, err := image.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	m = m.DeepCopy()
	m.MediaType = types.OCIManifestSchema1
	change(m)
	return handmade{*m}
}

func digestOf(t *testing.T, what interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	digest, err := what.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest.String()
}
