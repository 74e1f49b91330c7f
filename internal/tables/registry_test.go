package tables_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/portcullis-operator/portcullis/internal/tables"
)

const (
	user     = "robot"
	password = "s3cret-of-the-robot"
)

// pullSecret is a .dockerconfigjson with one entry.
func pullSecret(registry, user, password string) []byte {
	auth := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	return fmt.Appendf(nil, `{"auths":{%q:{"auth":%q}}}`, registry, auth)
}

func TestDigestAndReadAgree(t *testing.T) {
	s := open(t)
	image := oneTable(t, "users")
	reference := s.sell(t, "group/tables:v1", image)
	r := tables.Registry{Transport: s.transport()}
	s.requests()

	digest, err := r.Digest(t.Context(), reference, nil)
	if err != nil || digest != digestOf(t, image) {
		t.Fatalf("Digest = %q, %v", digest, err)
	}
	if asked := s.requests(); slices.ContainsFunc(asked, func(a string) bool { return strings.Contains(a, "GET /v2/group") }) {
		t.Errorf("a question for the digest reads the image: %v", asked)
	}
	content, err := r.Read(t.Context(), reference, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := tables.Content{Digest: digest, Files: map[string][]byte{"users.yaml": []byte("table: users\n")}}
	if diff := cmp.Diff(want, content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	byDigest, err := r.Read(t.Context(), s.host()+"/group/tables@"+digest, nil)
	if diff := cmp.Diff(want, byDigest); err != nil || diff != "" {
		t.Errorf("by digest: %v, content (-want +got):\n%s", err, diff)
	}
}

func TestARegistryThatAnswersNoHeadIsAskedWithGet(t *testing.T) {
	s := open(t)
	image := oneTable(t, "users")
	reference := s.sell(t, "tables:v1", image)
	s.instead = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
		return r.Method == http.MethodHead
	}
	digest, err := tables.Registry{Transport: s.transport()}.Digest(t.Context(), reference, nil)
	if err != nil || digest != digestOf(t, image) {
		t.Fatalf("Digest = %q, %v", digest, err)
	}
}

func TestAnIndexIsReadByItsPlatform(t *testing.T) {
	of := func(image v1.Image, platform *v1.Platform) mutate.IndexAddendum {
		return mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform, MediaType: types.OCIManifestSchema1}}
	}
	attestation := of(oneTable(t, "attestation"), &v1.Platform{OS: "unknown", Architecture: "unknown"})
	arm := of(oneTable(t, "arm"), &v1.Platform{OS: "linux", Architecture: "arm64"})
	amd := of(oneTable(t, "amd"), &v1.Platform{OS: "linux", Architecture: "amd64"})
	for name, c := range map[string]struct {
		images []mutate.IndexAddendum
		want   string
	}{
		"linux/amd64, wherever it stands":  {images: []mutate.IndexAddendum{attestation, arm, amd}, want: "amd.yaml"},
		"the first when there is no amd64": {images: []mutate.IndexAddendum{attestation, arm}, want: "arm.yaml"},
		"one without a platform":           {images: []mutate.IndexAddendum{of(oneTable(t, "any"), nil)}, want: "any.yaml"},
		"nothing but attestations":         {images: []mutate.IndexAddendum{attestation}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			index := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), c.images...)
			reference := s.sell(t, "tables:v1", index)
			content, err := tables.Registry{Transport: s.transport()}.Read(t.Context(), reference, nil)
			if c.want == "" {
				refused(t, content, err, tables.ErrImage)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := content.Files[c.want]; !ok || content.Digest != digestOf(t, index) {
				t.Errorf("read %v of %s, want %s of %s", content.Files, content.Digest, c.want, digestOf(t, index))
			}
		})
	}
}

func TestCredentials(t *testing.T) {
	s := open(t)
	s.user, s.password = user, password
	reference := s.sell(t, "group/tables:v1", oneTable(t, "users"))
	host := s.host()
	for name, c := range map[string]struct {
		secret []byte
		want   error
		says   string
	}{
		"the right ones":                     {secret: pullSecret(host, user, password)},
		"written as a URL":                   {secret: pullSecret("https://"+host+"/", user, password)},
		"for the group":                      {secret: pullSecret(host+"/group", user, password)},
		"for every host of the network":      {secret: pullSecret("127.0.*.1:*", user, password)},
		"user and password in plain":         {secret: fmt.Appendf(nil, `{"auths":{%q:{"username":%q,"password":%q}}}`, host, user, password)},
		"the longer path wins over the host": {secret: both(host, "", host+"/group", password)},
		"the host wins over a pattern":       {secret: both("127.0.0.*:*", "wrong", host, password)},
		"no Secret":                          {want: tables.ErrDenied, says: "spec.tables.pullSecretRef"},
		"wrong ones":                         {secret: pullSecret(host, user, "wrong"), want: tables.ErrDenied, says: "is not accepted"},
		"for another registry":               {secret: pullSecret("registry.example.com", user, password), want: tables.ErrDenied, says: "no entry for " + host},
		"for another group":                  {secret: pullSecret(host+"/gro", user, password), want: tables.ErrDenied, says: "no entry for " + host},
		"not JSON":                           {secret: []byte(password), want: tables.ErrPullSecret},
		"empty":                              {secret: []byte{}, want: tables.ErrPullSecret},
		"not base64":                         {secret: fmt.Appendf(nil, `{"auths":{%q:{"auth":%q}}}`, host, password), want: tables.ErrPullSecret},
		"without a colon":                    {secret: fmt.Appendf(nil, `{"auths":{%q:{"auth":"YWJj"}}}`, host), want: tables.ErrPullSecret},
		"very large":                         {secret: append(pullSecret(host, user, password), bytes.Repeat([]byte(" "), 1<<20)...), want: tables.ErrPullSecret},
	} {
		t.Run(name, func(t *testing.T) {
			r := tables.Registry{Transport: s.transport()}
			_, digestErr := r.Digest(t.Context(), reference, c.secret)
			content, err := r.Read(t.Context(), reference, c.secret)
			if c.want == nil {
				if digestErr != nil || err != nil || len(content.Files) != 1 {
					t.Fatalf("Digest: %v, Read: %v, %d files", digestErr, err, len(content.Files))
				}
				return
			}
			refused(t, content, err, c.want)
			refused(t, content, digestErr, c.want)
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
			for cause := err; cause != nil; cause = errors.Unwrap(cause) {
				for _, secret := range []string{password, base64.StdEncoding.EncodeToString([]byte(user + ":" + password)), "said by the registry"} {
					if strings.Contains(cause.Error(), secret) {
						t.Errorf("%q holds what nobody may read", cause)
					}
				}
			}
		})
	}
}

// both is a .dockerconfigjson with two entries of one user.
func both(first, firstPassword, second, secondPassword string) []byte {
	return fmt.Appendf(nil, `{"auths":{%q:{"username":%q,"password":%q},%q:{"username":%q,"password":%q}}}`,
		first, user, firstPassword, second, user, secondPassword)
}

func TestAManifestThatLiesIsFoundOut(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *v1.Manifest)
	}{
		"a layer larger than it says":  {change: func(m *v1.Manifest) { m.Layers[0].Size-- }},
		"a layer smaller than it says": {change: func(m *v1.Manifest) { m.Layers[0].Size++ }},
		"a layer of an absurd size":    {change: func(m *v1.Manifest) { m.Layers[0].Size = 1 << 62 }},
		"a layer of less than nothing": {change: func(m *v1.Manifest) { m.Layers[0].Size = -1 }},
		"layers that are too large together": {change: func(m *v1.Manifest) {
			m.Layers = append(m.Layers, m.Layers[0], m.Layers[0])
			m.Layers[1].Size, m.Layers[2].Size = 33<<20, 33<<20
		}},
		"more layers than anybody needs": {change: func(m *v1.Manifest) { m.Layers = slices.Repeat(m.Layers, 65) }},
		"no layer":                       {change: func(m *v1.Manifest) { m.Layers = nil }},
		"a layer of another place":       {change: func(m *v1.Manifest) { m.Layers[0].URLs = []string{"https://example.com/x"} }},
		"a foreign layer":                {change: func(m *v1.Manifest) { m.Layers[0].MediaType = types.DockerForeignLayer }},
		"a layer that is none":           {change: func(m *v1.Manifest) { m.Layers[0].MediaType = "application/vnd.example" }},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			image := oneTable(t, "users")
			s.sell(t, "tables:v1", image)
			reference := s.sell(t, "tables:lies", altered(t, image, c.change))
			content, err := tables.Registry{Transport: s.transport()}.Read(t.Context(), reference, nil)
			refused(t, content, err, tables.ErrImage)
		})
	}
}

func TestARegistryThatMisbehaves(t *testing.T) {
	answer := func(status int, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { http.Error(w, body, status) }
	}
	for name, c := range map[string]struct {
		path   string
		answer func(w http.ResponseWriter)
		want   error
	}{
		"is overloaded":              {path: "/manifests/", answer: answer(http.StatusServiceUnavailable, password), want: tables.ErrUnreachable},
		"asks to slow down":          {path: "/manifests/", answer: answer(http.StatusTooManyRequests, password), want: tables.ErrUnreachable},
		"has no such image":          {path: "/manifests/", answer: answer(http.StatusNotFound, password), want: tables.ErrNotFound},
		"has no such layer":          {path: "/blobs/", answer: answer(http.StatusNotFound, password), want: tables.ErrImage},
		"sends another layer":        {path: "/blobs/", answer: answer(http.StatusOK, password), want: tables.ErrImage},
		"sends something else":       {path: "/manifests/", answer: answer(http.StatusOK, password), want: tables.ErrImage},
		"sends a manifest of no end": {path: "/manifests/", answer: endless, want: tables.ErrImage},
		"sends a layer of no end":    {path: "/blobs/", answer: endless, want: tables.ErrImage},
		"sends a greeting of no end": {path: "/v2/", answer: endless, want: tables.ErrImage},
		"breaks the connection":      {path: "/manifests/", answer: func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, want: tables.ErrUnreachable},
		"leads to a place without TLS": {path: "/blobs/", answer: func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://example.com/?token="+password)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, want: tables.ErrUnreachable},
		"leads to the machine's own metadata": {path: "/blobs/", answer: func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://169.254.169.254/?token="+password)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, want: tables.ErrUnreachable},
		"wants the credentials sent elsewhere without TLS": {path: "/v2/", answer: func(w http.ResponseWriter) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="http://example.com/token"`)
			w.WriteHeader(http.StatusUnauthorized)
		}, want: tables.ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			reference := s.sell(t, "tables:v1", oneTable(t, "users"))
			s.instead = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.Path, c.path) {
					return false
				}
				c.answer(w)
				return true
			}
			content, err := tables.Registry{Transport: s.transport()}.Read(t.Context(), reference, pullSecret(s.host(), user, password))
			refused(t, content, err, c.want)
			if strings.Contains(err.Error(), password) {
				t.Errorf("%q holds what nobody may read", err)
			}
		})
	}
}

// endless sends zeros until nobody listens.
func endless(w http.ResponseWriter) {
	for zeros := make([]byte, 1<<20); ; {
		if _, err := w.Write(zeros); err != nil {
			return
		}
	}
}

func TestTheCallersContextEndsTheWork(t *testing.T) {
	s := open(t)
	reference := s.sell(t, "tables:v1", oneTable(t, "users"))
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	s.instead = func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-r.Context().Done():
		case <-released:
		}
		return true
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	content, err := tables.Registry{Transport: s.transport()}.Read(ctx, reference, nil)
	refused(t, content, err, tables.ErrUnreachable)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is not told as a deadline", err)
	}
}

func TestARegistryWithoutTLSIsAskedOnlyWhenAllowed(t *testing.T) {
	s := open(t)
	plain := httptest.NewServer(s.server.Config.Handler)
	t.Cleanup(plain.Close)
	s.sell(t, "tables:v1", oneTable(t, "users"))
	s.requests()
	reference := strings.TrimPrefix(plain.URL, "http://") + "/tables:v1"

	content, err := tables.Registry{}.Read(t.Context(), reference, nil)
	refused(t, content, err, tables.ErrUnreachable)
	if asked := s.requests(); len(asked) > 0 {
		t.Errorf("was asked %v", asked)
	}
	content, err = tables.Registry{PlainHTTP: true}.Read(t.Context(), reference, nil)
	if err != nil || len(content.Files) != 1 {
		t.Errorf("read %d files, %v", len(content.Files), err)
	}
}

func TestARegistryNobodyVouchesForIsNotTrusted(t *testing.T) {
	s := open(t)
	content, err := tables.Registry{}.Read(t.Context(), s.host()+"/tables:v1", nil)
	refused(t, content, err, tables.ErrUnreachable)
	if !strings.Contains(err.Error(), "x509: certificate signed by unknown authority") {
		t.Errorf("%q does not name the certificate", err)
	}
}

func TestTextThatIsNoReferenceIsNotAsked(t *testing.T) {
	for _, image := range []string{"", "UPPER/case", "a b", "https://" + user + ":" + password + "@registry.example.com/tables:v1", user + ":" + password + "@registry.example.com/tables:v1"} {
		content, err := tables.Registry{}.Read(t.Context(), image, nil)
		refused(t, content, err, tables.ErrReference)
		if strings.Contains(err.Error(), password) {
			t.Errorf("%q holds a password", err)
		}
	}
}

func TestARegistryThatHandsOutTokensIsReadWithOne(t *testing.T) {
	const token = "t0ken-of-the-day"
	s := open(t)
	reference := s.sell(t, "tables:v1", oneTable(t, "users"))
	s.instead = func(w http.ResponseWriter, r *http.Request) bool {
		switch asUser, asPassword, _ := r.BasicAuth(); {
		case r.URL.Path == "/token" && asUser == user && asPassword == password:
			_, _ = fmt.Fprintf(w, `{"token":%q}`, token)
		case r.URL.Path == "/token":
			http.Error(w, asPassword, http.StatusForbidden)
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="https://%s/token",service="shop"`, s.host()))
			w.WriteHeader(http.StatusUnauthorized)
		default:
			return false
		}
		return true
	}
	r := tables.Registry{Transport: s.transport()}
	content, err := r.Read(t.Context(), reference, pullSecret(s.host(), user, password))
	if err != nil || len(content.Files) != 1 {
		t.Errorf("read %d files, %v", len(content.Files), err)
	}
	const wrong = "wr0ng-password"
	content, err = r.Read(t.Context(), reference, pullSecret(s.host(), user, wrong))
	refused(t, content, err, tables.ErrDenied)
	if strings.Contains(err.Error(), wrong) {
		t.Errorf("%q holds a password", err)
	}
}
