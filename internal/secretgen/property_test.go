package secretgen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// TestNothingThatIsThereIsEverTouched draws specs, Secrets and records, and follows each through a whole pass and a second
// one: no present key is written (apply checks it), no key goes, and what is left after the writes is only kept or reported.
func TestNothingThatIsThereIsEverTouched(t *testing.T) {
	seen := map[Action]int{}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			spec, existing, ready := drawn(t, r)
			plan := Decide(spec, existing, ready)
			if diff := cmp.Diff(plan, Decide(spec, existing, ready), ignoreInner()); diff != "" {
				t.Fatalf("the same input gives another plan:\n%s", diff)
			}
			checkOnce(t, plan)
			writes := plan.Writes(perform(t, plan))
			checkWrites(t, plan, writes)
			after := apply(t, existing, writes)
			again := Decide(spec, after, ready)
			if work := again.Work(); len(work) > 0 {
				t.Fatalf("after the writes there is work: %s", work[0].ID())
			}
			if left := again.Writes(nil); len(left) > 0 {
				t.Fatalf("after the writes there is a write: %v", left)
			}
			sameReports(t, plan, again)
			record := Record(spec, again, ready)
			if diff := cmp.Diff(again, Decide(spec, after, record), ignoreInner()); diff != "" && again.Ready() {
				t.Fatalf("what was just recorded changes the plan:\n%s", diff)
			}
			checkRecord(t, again, ready, record)
			for _, s := range plan.Secrets {
				for _, d := range s.Decisions {
					seen[d.Action]++
				}
			}
		})
	}
	for _, a := range []Action{Keep, Generate, Derive, Report} {
		if seen[a] < 20 {
			t.Errorf("%s was decided %d times only", a, seen[a])
		}
	}
}

func ignoreInner() cmp.Option { return cmpopts.IgnoreUnexported(Decision{}) }

// checkOnce: a Secret has each unit once, since status lists reported units by name.
func checkOnce(t *testing.T, plan Plan) {
	t.Helper()
	for _, s := range plan.Secrets {
		var names []string
		for _, d := range s.Decisions {
			if slices.Contains(names, d.Unit.Name) {
				t.Fatalf("%s has the unit %s twice", s.Name, d.Unit.Name)
			}
			names = append(names, d.Unit.Name)
		}
	}
	ids := map[string]bool{}
	for _, job := range plan.Work() {
		if ids[job.ID()] {
			t.Fatalf("the job %s is there twice", job.ID())
		}
		ids[job.ID()] = true
	}
}

// checkWrites: every key that was promised is written, and a missing Secret with a reported unit is not.
func checkWrites(t *testing.T, plan Plan, writes []Write) {
	t.Helper()
	for _, s := range plan.Secrets {
		at := slices.IndexFunc(writes, func(w Write) bool { return w.Secret == s.Name })
		for _, d := range s.Decisions {
			if d.Action == Report && !s.Exists && at >= 0 {
				t.Fatalf("%s is created although %s is reported", s.Name, d.Unit.Name)
			}
			for _, key := range d.Keys {
				if at < 0 || !slices.Contains(writes[at].Keys, key) {
					t.Fatalf("key %s of %s is not written", key, s.Name)
				}
			}
		}
	}
}

// sameReports: writing what can be written neither solves nor causes a report.
func sameReports(t *testing.T, before, after Plan) {
	t.Helper()
	reported := func(p Plan) []string {
		var all []string
		for _, s := range p.Secrets {
			for _, d := range s.Decisions {
				if d.Action == Report {
					all = append(all, s.Name+"/"+d.Unit.Name+" "+string(d.Reason))
				}
			}
		}
		return all
	}
	if diff := cmp.Diff(reported(before), reported(after)); diff != "" {
		t.Fatalf("the writes changed what is reported:\n%s", diff)
	}
}

func checkRecord(t *testing.T, plan Plan, ready, record map[string][]string) {
	t.Helper()
	for _, s := range plan.Secrets {
		for _, name := range ready[s.Name] {
			if !slices.Contains(record[s.Name], name) {
				t.Fatalf("the record of %s lost %s", s.Name, name)
			}
		}
	}
	if record["undeclared"] != nil {
		t.Fatal("the record of an undeclared Secret survives")
	}
}

// drawn is a random spec, what may be there of it, and a record.
func drawn(t *testing.T, r *rand.Rand) (v2alpha1.GitLabSecretsSpec, map[string]*Existing, map[string][]string) {
	t.Helper()
	var spec v2alpha1.GitLabSecretsSpec
	for range r.IntN(5) {
		entry := v2alpha1.SecretEntry{Name: pick(r, "a", "b", "c", "d"), Type: pick(r, "", "Opaque", "example.com/t")}
		for range r.IntN(4) {
			entry.Generators = append(entry.Generators, drawnGenerator(r))
		}
		spec.Secrets = append(spec.Secrets, entry)
	}
	if r.IntN(2) == 0 {
		set := certificateSet()
		if r.IntN(4) == 0 {
			set.ChainSecret, set.CASecret = pick(r, "a", "chain"), pick(r, "b", "ca") // the definition refuses it
		}
		spec.Certificates = append(spec.Certificates, set)
	}
	existing, ready := map[string]*Existing{}, map[string][]string{"undeclared": {"x"}}
	values := drawnValues(t, r)
	for _, s := range declare(spec) {
		var units []string
		have := &Existing{Type: pick(r, "Opaque", "kubernetes.io/tls"), Immutable: r.IntN(6) == 0, Data: map[string][]byte{"other": nil}}
		for _, u := range s.units {
			if r.IntN(6) == 0 {
				units = append(units, u.Name)
			}
			for _, key := range u.Keys {
				if r.IntN(3) == 0 {
					have.Data[key] = values(key)
				}
			}
		}
		if len(units) > 0 {
			ready[s.name] = units
		}
		if r.IntN(2) == 0 {
			existing[s.name] = have
		}
	}
	return spec, existing, ready
}

func drawnGenerator(r *rand.Rand) v2alpha1.Generator {
	g := generatorOf(pick(r, "random", "bytes", "static", "x509", "sshHostKey", "railsField"))
	if g.Key == "k" {
		g.Key, g.Persistent = pick(r, "k", "l", "m", "tls.key", "ca.crt"), r.IntN(2) == 0
	}
	if g.Type == v2alpha1.GeneratorX509 && r.IntN(2) == 0 {
		g.CertKey, g.KeyKey = "k", pick(r, "k.key", "k")
	}
	return g
}

// drawnValues gives a value that fits a key now and then, and junk, nothing or a broken file otherwise.
func drawnValues(t *testing.T, r *rand.Rand) func(key string) []byte {
	t.Helper()
	set := issuedSet(t)
	texts := files()
	states := statesOf("railsField")[1:]
	return func(key string) []byte {
		switch {
		case r.IntN(5) == 0:
			return nil
		case r.IntN(4) == 0:
			return []byte("junk")
		case key == "secrets.yml":
			return []byte(texts[states[r.IntN(len(states))]])
		case key == "ca.crt", key == "chain.crt":
			return set.CA
		case key == "tls.crt":
			return set.Certificate
		case strings.HasPrefix(key, "ssh_"):
			return sshPair(t)[1]
		}
		return rsaPair(t)[1]
	}
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }
