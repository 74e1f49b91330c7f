//go:build bridge

package cli

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/secretgen"
)

// secrets decides what becomes of the Secrets a GitLabSecrets declares; its definition has been checked.
func (*checker) secrets(d document, there map[string]liveSecret) (decidedSecrets, error) {
	var declared v2alpha1.GitLabSecrets
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(d.object().Object, &declared); err != nil {
		return decidedSecrets{}, cannot("%s:%d: the status of %s is not as the Operator writes it; take it out, or read it from the cluster again",
			d.file, d.place("status").line, d.named())
	}
	existing := make(map[string]*secretgen.Existing, len(there))
	for name, s := range there {
		existing[name] = &secretgen.Existing{Type: s.secretType, Immutable: s.immutable, Data: s.data}
	}
	ready := map[string][]string{}
	for _, s := range declared.Status.Secrets {
		if len(s.ReadyUnits) > 0 {
			ready[s.Name] = s.ReadyUnits
		}
	}
	out := decidedSecrets{Recorded: len(ready) > 0, Secrets: []decidedSecret{}}
	for _, s := range secretgen.Decide(declared.Spec, existing, ready).Secrets {
		out.Secrets = append(out.Secrets, decidedOf(s))
	}
	return out, nil
}

func decidedOf(s secretgen.SecretPlan) decidedSecret {
	out := decidedSecret{Name: s.Name, Type: s.Type, Exists: s.Exists, Ready: s.Ready, Units: []decidedUnit{}}
	if s.TypeDiffers {
		out.ExistingType = s.ExistingType
	}
	for _, d := range s.Decisions {
		out.Units = append(out.Units, decidedUnit{
			Name: d.Unit.Name, DataBearing: d.Unit.DataBearing, Action: strings.ToLower(d.Action.String()), Keys: d.Keys,
			Reason: string(d.Reason), Message: d.Message,
		})
	}
	return out
}
