package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// repository serves an index with one good archive, one whose digest is wrong, and one that is missing.
func repository(t *testing.T, archive []byte) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/charts/index.yaml", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "apiVersion: v1\nentries:\n  gitlab:\n"+
			"  - {version: 10.4.1, digest: %s, urls: [gitlab-10.4.1.tgz]}\n"+
			"  - {version: 10.3.0, digest: %s, urls: [gitlab-10.4.1.tgz]}\n"+
			"  - {version: 10.2.1, digest: %s, urls: [gone.tgz]}\n",
			digest(archive), digest([]byte("another")), digest(archive))
	})
	mux.HandleFunc("/charts/gitlab-10.4.1.tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/charts"
}

func TestRetrieve(t *testing.T) {
	archive := []byte("an archive")
	cases := map[string]struct {
		versions string
		want     []string
		wantErr  bool
		wantIs   error
	}{
		"a listed version is written under its name":         {versions: "10.4.1\n", want: []string{"gitlab-10.4.1.tgz"}},
		"comments and blank lines are passed over":           {versions: "# newest\n\n10.4.1\n", want: []string{"gitlab-10.4.1.tgz"}},
		"an archive with another digest is not written":      {versions: "10.3.0\n", wantErr: true, wantIs: errBadArchive},
		"an archive that is gone does not stop the others":   {versions: "10.2.1\n10.4.1\n", want: []string{"gitlab-10.4.1.tgz"}, wantErr: true},
		"a version the repository does not list is an error": {versions: "9.9.9\n", wantErr: true},
		"an archive the list pins is written when it is that one": {
			versions: "10.2.1\n10.4.1 sha256:" + digest(archive) + "\n", want: []string{"gitlab-10.4.1.tgz"}, wantErr: true,
		},
		"a pin of the first version stands on a line of its own": {
			versions: "10.4.1\n10.4.1 sha256:" + digest(archive) + "\n", want: []string{"gitlab-10.4.1.tgz"},
		},
		"an archive that is not the pinned one is not written, though the index lists it": {
			versions: "10.4.1\n10.4.1 sha256:" + digest([]byte("another")) + "\n", wantErr: true, wantIs: errNotPinned,
		},
		"a first line with a digest is refused":                 {versions: "10.4.1 sha256:" + digest(archive) + "\n", wantErr: true, wantIs: errBadList},
		"a digest of another kind is refused":                   {versions: "10.3.0\n10.4.1 md5:0\n", wantErr: true, wantIs: errBadList},
		"a digest that is cut short is refused":                 {versions: "10.3.0\n10.4.1 sha256:0\n", wantErr: true, wantIs: errBadList},
		"two digests of one version are refused":                {versions: "#\n10.4.1 sha256:" + digest(archive) + "\n10.4.1 sha256:" + digest([]byte("another")) + "\n", wantErr: true, wantIs: errBadList},
		"a version that was retrieved before is left as it was": {versions: "10.4.1\n10.4.1\n", want: []string{"gitlab-10.4.1.tgz"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			list := filepath.Join(dir, "VERSIONS")
			if err := os.WriteFile(list, []byte(tc.versions), 0o600); err != nil {
				t.Fatal(err)
			}
			r := retrieval{repository: repository(t, archive), versionsFile: list, folder: filepath.Join(dir, "charts"), log: io.Discard}
			err := r.run(context.Background())
			if (err != nil) != tc.wantErr || tc.wantIs != nil && !errors.Is(err, tc.wantIs) {
				t.Errorf("unexpected error: %v", err)
			}
			written, _ := filepath.Glob(filepath.Join(r.folder, "*"))
			if len(written) != len(tc.want) {
				t.Fatalf("wrote %v, want %v", written, tc.want)
			}
			for _, w := range tc.want {
				if got, err := os.ReadFile(filepath.Join(r.folder, w)); err != nil || !bytes.Equal(got, archive) {
					t.Errorf("%s does not hold the archive: %v", w, err)
				}
			}
		})
	}
}
