package secretgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Write is one write to the API server. Data holds only keys that are not there yet, and a secrets.yml that gained fields.
type Write struct {
	// Secret to create or add to.
	Secret string
	// Type to create it with.
	Type string
	// Create says that the Secret must not exist; otherwise keys are added to the one that was decided about.
	Create bool
	// Data to add.
	Data map[string][]byte
	// Keys of Data, sorted.
	Keys []string
}

// String names the Secret and the keys, never a value.
func (w Write) String() string {
	return fmt.Sprintf("%s: %s", w.Secret, strings.Join(w.Keys, ", "))
}

// GoString keeps the values out of what %#v prints.
func (w Write) GoString() string { return w.String() }

// Writes turns what was made, by the ID of its Job, into writes, in the order of the plan, so CA, TLS and chain of a
// certificate set. A Secret gets a write only when everything missing in it was made; one that is missing and has a
// reported unit gets none; and a certificate set is written in all of its Secrets or in none.
func (p Plan) Writes(made map[string]Made) []Write {
	var writes []Write
	for _, s := range p.Secrets {
		if w, ok := s.write(made); ok && p.setIsWhole(s, made) {
			writes = append(writes, w)
		}
	}
	return writes
}

// setIsWhole says whether every Secret that gets a part of the same certificate set as this one can be written.
func (p Plan) setIsWhole(s SecretPlan, made map[string]Made) bool {
	for _, d := range s.Decisions {
		if d.Unit.Kind != KindCertificates || d.job.run == nil {
			continue
		}
		for _, other := range p.Secrets {
			shares := slices.ContainsFunc(other.Decisions, func(o Decision) bool { return o.job.id == d.job.id })
			if _, ok := other.write(made); shares && !ok {
				return false
			}
		}
	}
	return true
}

// write is the write of one Secret; false when there is nothing to write or something is not made.
func (s SecretPlan) write(made map[string]Made) (Write, bool) {
	w := Write{Secret: s.Name, Type: s.Type, Create: !s.Exists, Data: map[string][]byte{}}
	for _, d := range s.Decisions {
		if d.Action == Report && !s.Exists {
			return Write{}, false
		}
		if d.job.run == nil {
			continue
		}
		if d.file != nil {
			if _, written := w.Data[d.file.key]; written {
				continue
			}
			text, ok := d.file.write(s.Decisions, made)
			if !ok {
				return Write{}, false
			}
			w.Data[d.file.key] = text
			continue
		}
		m, ok := made[d.job.id]
		if !ok {
			return Write{}, false
		}
		for _, key := range d.Keys {
			w.Data[key] = m.values[place{s.Name, key}]
		}
	}
	w.Keys = slices.Sorted(maps.Keys(w.Data))
	return w, w.Create || len(w.Data) > 0
}
