package secretgen

import (
	"crypto/rand"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// perform runs every job. The RSA host key, which takes long, is the same one each time.
func perform(t *testing.T, plan Plan) map[string]Made {
	t.Helper()
	made := map[string]Made{}
	for _, job := range plan.Work() {
		if secret, isHostKey := strings.CutSuffix(job.ID(), "/ssh_host_rsa_key"); isHostKey && job.Heavy() {
			pair := sshPair(t)
			made[job.ID()] = Made{values: map[place][]byte{{secret, "ssh_host_rsa_key"}: pair[1], {secret, "ssh_host_rsa_key.pub"}: pair[0]}}
			continue
		}
		m, err := job.Make(rand.Reader, time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		made[job.ID()] = m
	}
	return made
}

// apply does what the API server does with writes, and checks that none touches what is there.
func apply(t *testing.T, existing map[string]*Existing, writes []Write) map[string]*Existing {
	t.Helper()
	after := map[string]*Existing{}
	for name, e := range existing {
		if e != nil {
			after[name] = &Existing{Type: e.Type, Immutable: e.Immutable, Data: maps.Clone(e.Data)}
			if e.Data == nil {
				after[name].Data = map[string][]byte{}
			}
		}
	}
	for _, w := range writes {
		if w.Create != (after[w.Secret] == nil) {
			t.Fatalf("the write of %s creates: %t", w.Secret, w.Create)
		}
		if w.Create {
			after[w.Secret] = &Existing{Type: w.Type, Data: map[string][]byte{}}
		}
		if after[w.Secret].Immutable {
			t.Fatalf("%s is immutable and gets a write", w.Secret)
		}
		for key, value := range w.Data {
			if old, there := after[w.Secret].Data[key]; there {
				checkGain(t, w.Secret+"/"+key, old, value)
			}
			after[w.Secret].Data[key] = value
		}
	}
	return after
}

// checkGain allows a write over a key only to a secrets.yml that keeps every field it had.
func checkGain(t *testing.T, at string, old, value []byte) {
	t.Helper()
	if !strings.HasSuffix(at, ".yml") {
		t.Fatalf("%s is there and is written", at)
	}
	var was, is map[string]any
	if err := yaml.Unmarshal(old, &was); err != nil {
		t.Fatalf("%s does not parse and is written", at)
	}
	if err := yaml.Unmarshal(value, &is); err != nil {
		t.Fatalf("%s does not parse after a write", at)
	}
	for name, env := range was {
		had, ok := env.(map[string]any)
		if !ok {
			t.Fatalf("%s has an environment that is no mapping and is written", at)
		}
		for field, v := range had {
			if v != nil && v != "" && !cmp.Equal(v, is[name].(map[string]any)[field]) {
				t.Fatalf("field %s of %s changed", field, at)
			}
		}
	}
}
