package gitlabsecrets

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/secretgen"
)

// pass is one look at one resource. Its status is written once, from here.
type pass struct {
	// resource is the GitLabSecrets; its status holds the record of what was ready once.
	resource *v2alpha1.GitLabSecrets
	// shared names, for each declared Secret, another GitLabSecrets of the namespace that declares it too.
	shared map[string]string
	// live are the declared Secrets that exist, as the API server last had them in this pass.
	live map[string]*corev1.Secret
	// plan is what secretgen decides about that state; decided says that there is one.
	plan    secretgen.Plan
	decided bool
	now     time.Time
}

// gather reads every declared Secret from the API server and decides.
func (r *Reconciler) gather(ctx context.Context, p *pass) outcome.Outcome {
	others := &v2alpha1.GitLabSecretsList{}
	if err := r.Cached.List(ctx, others, client.InNamespace(p.resource.Namespace)); err != nil {
		return failed(fmt.Errorf("list the GitLabSecrets of namespace %s: %w", p.resource.Namespace, err))
	}
	p.shared = sharedWith(p.resource, others.Items)
	p.live = map[string]*corev1.Secret{}
	for _, name := range declares(p.resource.Spec) {
		if err := r.look(ctx, p, name); err != nil {
			return failed(err)
		}
	}
	p.decide()
	return outcome.Continue{}
}

// look reads one Secret anew.
func (r *Reconciler) look(ctx context.Context, p *pass, name string) error {
	secret := &corev1.Secret{}
	err := r.Client.Get(ctx, types.NamespacedName{Namespace: p.resource.Namespace, Name: name}, secret)
	switch {
	case apierrors.IsNotFound(err):
		delete(p.live, name)
	case err != nil:
		return fmt.Errorf("read Secret %s: %w", name, err)
	default:
		p.live[name] = secret
	}
	return nil
}

// confirm reads the resource itself from the API server, after its Secrets were read: a Secret that was ready, recorded
// and deleted before we looked is then on the record we go by. It decides again with that record.
func (r *Reconciler) confirm(ctx context.Context, p *pass) outcome.Outcome {
	all := &v2alpha1.GitLabSecretsList{}
	if err := r.Client.List(ctx, all, client.InNamespace(p.resource.Namespace)); err != nil {
		return failed(fmt.Errorf("list the GitLabSecrets of namespace %s: %w", p.resource.Namespace, err))
	}
	at := slices.IndexFunc(all.Items, func(o v2alpha1.GitLabSecrets) bool { return o.UID == p.resource.UID })
	if at < 0 || !all.Items[at].DeletionTimestamp.IsZero() || all.Items[at].Generation != p.resource.Generation {
		return outcome.Wait{Reason: v2alpha1.ReasonProgressing, Message: "the GitLabSecrets changed; it is looked at again", After: firstRetry}
	}
	p.resource = &all.Items[at]
	p.shared = sharedWith(p.resource, all.Items)
	p.decide()
	return outcome.Continue{}
}

// decide asks secretgen about the state the pass knows.
func (p *pass) decide() {
	existing := make(map[string]*secretgen.Existing, len(p.live))
	for name, secret := range p.live {
		immutable := secret.Immutable != nil && *secret.Immutable
		existing[name] = &secretgen.Existing{Type: string(secret.Type), Immutable: immutable, Data: secret.Data}
	}
	p.plan, p.decided = secretgen.Decide(p.resource.Spec, existing, p.readyUnits()), true
}

// readyUnits is the record of the data-bearing units that were ready once.
func (p *pass) readyUnits() map[string][]string {
	out := map[string][]string{}
	for _, s := range p.resource.Status.Secrets {
		if len(s.ReadyUnits) > 0 {
			out[s.Name] = s.ReadyUnits
		}
	}
	return out
}

// work reports whether there is anything to make or to label.
func (p *pass) work() bool {
	if len(p.plan.Work()) > 0 {
		return true
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(p.live)), func(name string) bool { return len(p.labels(name)) > 0 })
}

// declares lists the Secrets a spec declares, each once.
func declares(spec v2alpha1.GitLabSecretsSpec) []string {
	out := make([]string, 0, len(spec.Secrets)+3*len(spec.Certificates))
	for _, entry := range spec.Secrets {
		out = append(out, entry.Name)
	}
	for _, set := range spec.Certificates {
		out = append(out, certificateSecrets(set)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// certificateSecrets lists the Secrets of a certificate set.
func certificateSecrets(set v2alpha1.CertificateSet) []string {
	return []string{set.CASecret, set.TLSSecret, set.ChainSecret}
}

// sharedWith finds, for each Secret of a resource, another one that declares it as well. One that is being deleted
// declares nothing any more.
func sharedWith(resource *v2alpha1.GitLabSecrets, all []v2alpha1.GitLabSecrets) map[string]string {
	own := declares(resource.Spec)
	out := map[string]string{}
	for i := range all {
		if all[i].UID == resource.UID || !all[i].DeletionTimestamp.IsZero() {
			continue
		}
		for _, name := range declares(all[i].Spec) {
			if _, known := out[name]; !known && slices.Contains(own, name) {
				out[name] = all[i].Name
			}
		}
	}
	return out
}

// releaseLabels is the prefix of the labels by which the Operator finds what it applied; a Secret that carried them
// would be pruned with its release.
const releaseLabels = "operator.gitlab.com/release-"

// given are the labels a Secret gets from the resource.
func (p *pass) given() map[string]string {
	out := maps.Clone(p.resource.Labels)
	maps.DeleteFunc(out, func(key, _ string) bool { return strings.HasPrefix(key, releaseLabels) })
	return out
}

// labels are those an existing Secret lacks. A Secret that two resources declare keeps its own.
func (p *pass) labels(name string) map[string]string {
	secret := p.live[name]
	if _, shared := p.shared[name]; shared || secret == nil {
		return nil
	}
	out := p.given()
	maps.DeleteFunc(out, func(key, value string) bool {
		has, there := secret.Labels[key]
		return there && has == value
	})
	return out
}
