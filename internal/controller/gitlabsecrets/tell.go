package gitlabsecrets

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// memory holds what people were told of each resource and still holds, so that they are told once, when it begins. What
// is reported needs no memory: the status has it.
type memory struct {
	mu    sync.Mutex
	facts map[types.NamespacedName]told
}

type told struct {
	uid   types.UID
	facts []string
}

// begun replaces what holds for a resource and returns what did not before.
func (m *memory) begun(resource *v2alpha1.GitLabSecrets, facts []string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.facts == nil {
		m.facts = map[types.NamespacedName]told{}
	}
	key := client.ObjectKeyFromObject(resource)
	before := m.facts[key]
	if before.uid != resource.UID {
		before = told{}
	}
	m.facts[key] = told{uid: resource.UID, facts: facts}
	return slices.DeleteFunc(slices.Clone(facts), func(f string) bool { return slices.Contains(before.facts, f) })
}

func (m *memory) forget(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.facts, key)
}

// tell sends the events of a pass whose status is written: each once, when what it tells of begins.
func (r *Reconciler) tell(p *pass, after *v2alpha1.GitLabSecrets) {
	if !p.decided {
		return
	}
	r.tellReported(p, after)
	shared, differing := map[string]string{}, map[string]string{}
	var facts []string
	for _, s := range p.plan.Secrets {
		if other, ok := p.shared[s.Name]; ok {
			fact := "shared " + s.Name + " " + other
			shared[fact], facts = s.Name, append(facts, fact)
		}
		if secret := p.live[s.Name]; s.TypeDiffers && secret != nil {
			fact := "type " + s.Name + " " + string(secret.Type) + " " + s.Type
			differing[fact], facts = s.Name, append(facts, fact)
		}
	}
	types := p.types()
	for _, fact := range r.told.begun(after, facts) {
		if name, ok := shared[fact]; ok {
			r.Events.Eventf(after, p.reference(name), corev1.EventTypeWarning, v2alpha1.EventSecretShared, "Reconcile",
				"Secret %s is declared by GitLabSecrets %s as well; its labels are left as they are: declare it in one of the two", name, p.shared[name])
		}
		if name, ok := differing[fact]; ok {
			r.Events.Eventf(after, p.reference(name), corev1.EventTypeNormal, v2alpha1.EventSecretTypeDiffers, "Reconcile",
				"Secret %s has the type %s and keeps it; %s is declared", name, p.live[name].Type, types[name])
		}
	}
}

// types are the declared types of the Secrets.
func (p *pass) types() map[string]string {
	out := make(map[string]string, len(p.plan.Secrets))
	for _, s := range p.plan.Secrets {
		out[s.Name] = s.Type
	}
	return out
}

// tellReported warns of each report about a unit that was not reported before, or for another reason.
func (r *Reconciler) tellReported(p *pass, after *v2alpha1.GitLabSecrets) {
	known := map[string]bool{}
	for _, s := range p.resource.Status.Secrets {
		for _, u := range s.Reported {
			known[s.Name+" "+u.Unit+" "+u.Reason] = true
		}
	}
	for _, report := range p.plan.Reports() {
		news := false
		for _, secret := range report.Secrets {
			for _, unit := range report.Units {
				news = news || !known[secret+" "+unit+" "+string(report.Reason)]
			}
		}
		if news {
			r.Events.Eventf(after, p.reference(report.Secrets[0]), corev1.EventTypeWarning, v2alpha1.EventUnitReported, "Reconcile", "%s", report)
		}
	}
}

// tellGenerated names the keys that were written, never their values.
func (r *Reconciler) tellGenerated(p *pass, c change) {
	r.Events.Eventf(p.resource, p.reference(c.name), corev1.EventTypeNormal, v2alpha1.EventSecretGenerated, "Generate",
		"made %s of Secret %s", named(c.keys), c.name)
}

// reference names a Secret as what an event is about, without anything of its content.
func (p *pass) reference(name string) *metav1.PartialObjectMetadata {
	out := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: p.resource.Namespace, Name: name}}
	out.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if secret := p.live[name]; secret != nil {
		out.UID = secret.UID
	}
	return out
}
