package pins

import (
	"errors"
	"os"
	"testing"
)

const controlPlane = `module example.org/x

require (
	go.etcd.io/etcd/server/v3 v3.7.0
	k8s.io/kubernetes v1.37.2 // indirect
)

replace k8s.io/api => k8s.io/api v0.37.2
`

func TestParse(t *testing.T) {
	cases := map[string]struct {
		controlPlane, kwok string
		want               Versions
		wantErr            error
	}{
		"versions are read from blocks and from single lines": {
			controlPlane: controlPlane,
			kwok:         "module y\nrequire sigs.k8s.io/kwok v0.8.0\n",
			want:         Versions{Kubernetes: "v1.37.2", Etcd: "v3.7.0", Kwok: "v0.8.0"},
		},
		"a missing pin is refused": {
			controlPlane: controlPlane,
			kwok:         "module y\n",
			wantErr:      ErrNotPinned,
		},
		"a replace line is not a pin": {
			controlPlane: "replace k8s.io/kubernetes => ../kubernetes\n",
			wantErr:      ErrNotPinned,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(c.controlPlane, c.kwok)
			if !errors.Is(err, c.wantErr) {
				t.Fatalf("error: want %v, got %v", c.wantErr, err)
			}
			if got != c.want {
				t.Errorf("want %+v, got %+v", c.want, got)
			}
		})
	}
}

func TestTheCommittedFilesPinEveryProgram(t *testing.T) {
	controlPlane, err := os.ReadFile("../../controlplane/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	kwok, err := os.ReadFile("../../kwok/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	v, err := Parse(string(controlPlane), string(kwok))
	if err != nil {
		t.Fatal(err)
	}
	if major, minor := v.MajorMinor(); major == "" || minor == "" {
		t.Errorf("Kubernetes version %q does not split into major and minor", v.Kubernetes)
	}
}

func TestKeyNamesEveryVersion(t *testing.T) {
	v := Versions{Kubernetes: "v1.37.2", Etcd: "v3.7.0", Kwok: "v0.8.0"}
	if got, want := v.Key(), "kubernetes-v1.37.2_etcd-v3.7.0_kwok-v0.8.0"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
	major, minor := v.MajorMinor()
	if major != "1" || minor != "37" {
		t.Errorf("want 1 and 37, got %q and %q", major, minor)
	}
}
