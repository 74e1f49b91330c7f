package floors

// nature says what a package may touch, besides the floors below it.
type nature int

const (
	// pure takes values and returns values: it imports pure packages only and nothing that reaches out.
	pure nature = iota
	// words is a published API group: pure, and free of third-party code but the Kubernetes type libraries.
	words
	// effect touches the cluster, the network, a process or a disk. It knows no kind of ours, so no API group.
	effect
	// door speaks to the outside (HTTP, files, standard output) but decides nothing and reaches no cluster.
	door
	// mixed puts pure packages and effects together: engines, reconcilers, the assembly and the manager.
	mixed
)

// room is one row of the table: a package, its floor and what it may touch.
type room struct {
	path   string
	floor  int
	nature nature
	// also lists third-party packages (and what is below them) this package may use although its nature forbids them.
	also []string
}

// testFloor is above everything: what only tests use is imported by no package of the product.
const testFloor = 8

// table is the floor plan. A package imports only packages of strictly lower floors; there is no exception list.
// The three effects below internal/render stand one floor above the others since they speak in render's types.
// A path that ends in /* covers every package directly below it. Every row has its package: a package that is only
// planned has no row yet.
func table() []room { //nolint:funlen // it is as long as the house has rooms
	return []room{
		{path: "api/apps/v2alpha1", floor: 0, nature: words},
		{path: "config/crd", floor: 0, nature: pure},
		{path: "internal/outcome", floor: 0, nature: pure},
		{path: "internal/values", floor: 0, nature: pure},
		{path: "internal/object", floor: 0, nature: pure},
		{path: "internal/rules", floor: 0, nature: pure},
		{path: "internal/secretgen/*", floor: 0, nature: pure},

		{path: "internal/chart", floor: 1, nature: pure},
		{path: "internal/version", floor: 1, nature: pure},
		{path: "internal/derive", floor: 1, nature: pure},
		{path: "internal/condition", floor: 1, nature: pure},
		{path: "internal/readiness", floor: 1, nature: pure},
		{path: "internal/definition", floor: 1, nature: pure},
		{path: "internal/secretgen", floor: 1, nature: pure},
		{path: "internal/tableset", floor: 1, nature: pure},
		{path: "internal/rules/apps", floor: 1, nature: pure},

		{path: "internal/schema", floor: 2, nature: pure},
		// Helm's lookup seam names a type of the dynamic client, and the scheme knows the built-in kinds; neither makes a client.
		{path: "internal/render", floor: 2, nature: pure, also: []string{"k8s.io/client-go/dynamic", "k8s.io/client-go/kubernetes/scheme"}},
		{path: "internal/apply", floor: 2, nature: effect},
		{path: "internal/refs", floor: 2, nature: effect},
		{path: "internal/status", floor: 2, nature: effect},
		{path: "internal/certs", floor: 2, nature: effect},
		{path: "internal/tables", floor: 2, nature: effect},

		{path: "internal/plan", floor: 3, nature: pure},
		{path: "internal/render/capabilities", floor: 3, nature: effect},
		{path: "internal/render/hookexec", floor: 3, nature: effect},
		{path: "internal/render/sandbox", floor: 3, nature: effect},

		{path: "internal/admit", floor: 4, nature: pure},
		{path: "internal/facts", floor: 4, nature: mixed},
		{path: "internal/release", floor: 4, nature: mixed},

		{path: "webhooks", floor: 5, nature: door, also: []string{
			"sigs.k8s.io/controller-runtime/pkg/webhook", "sigs.k8s.io/controller-runtime/pkg/log",
		}},
		{path: "internal/cli", floor: 5, nature: door},
		{path: "internal/controller/*", floor: 5, nature: mixed},

		{path: "internal/operator", floor: 6, nature: mixed},
		{path: "cmd/manager", floor: 7, nature: mixed},
		{path: "cmd/portcullis", floor: 7, nature: door},
		{path: "webhooks/generate", floor: 7, nature: door},
		{path: "scripts/*", floor: 7, nature: mixed},

		{path: "internal/testing/*", floor: testFloor, nature: mixed},
		{path: "internal/floors", floor: testFloor, nature: mixed},
	}
}

// sealedCones are the packages from which no effect may be reached, however many imports lie between: the webhook
// cannot pull a chart, and the offline command cannot touch a cluster even by mistake.
func sealedCones() []string {
	return []string{"webhooks", "internal/admit", "internal/plan", "internal/cli", "cmd/portcullis"}
}

// forbidden lists what a package of this nature may not import from outside the module, with what is below each entry.
func (n nature) forbidden() []string {
	clients := []string{"k8s.io/client-go", "sigs.k8s.io/controller-runtime"}
	switch n {
	case pure, words:
		return append(clients, "os", "net", "log", "math/rand", "syscall")
	case door:
		return clients
	case effect, mixed:
	}
	return nil
}

// harmless lists packages below a forbidden one that only take text apart.
func harmless() []string { return []string{"net/netip", "net/url", "net/mail"} }

// allowed lists the only third-party packages a published API group may use; nil means no such limit.
func (n nature) allowed() []string {
	if n != words {
		return nil
	}
	return []string{
		"k8s.io/apimachinery",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
	}
}
