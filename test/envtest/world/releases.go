package world

import (
	"context"
	"io/fs"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/facts"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/render/capabilities"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// Releases is an API server, and what every reconciler of a release shares there.
type Releases struct {
	*Server
	// Renders counts the charts rendered so far.
	Renders atomic.Int64

	catalogue *chart.Catalogue
	set       *definition.Set
	checker   *schema.Checker
}

// StartReleases starts an API server on which charts can be applied: with the project's definitions and those charts route
// with.
func StartReleases(tb testing.TB, catalogue *chart.Catalogue) *Releases {
	tb.Helper()
	return &Releases{Server: Start(tb, Own(tb), Routing(tb)), catalogue: catalogue, set: Set(tb), checker: schema.NewChecker()}
}

// Render renders in this process, and counts.
func (r *Releases) Render(ctx context.Context, req render.Request) (render.Release, error) {
	r.Renders.Add(1)
	return render.Render(ctx, req)
}

// Reviewer makes the check, on facts read through the given client.
func (r *Releases) Reviewer(c client.Client) *admit.Reviewer {
	return &admit.Reviewer{
		Definitions: r.set,
		Tools:       plan.Tools{Schemas: r.checker, Renderer: r},
		Settings:    derive.Settings{ManagerServiceAccount: "gitlab-manager"},
		Facts:       r.Facts(c, r.catalogue, time.Hour),
	}
}

// Engine performs plans through the given client, with a memory of its own: that of a manager that has just started.
func (r *Releases) Engine(c client.Client, manager string, recorder events.EventRecorder) *release.Engine {
	return &release.Engine{Client: c, Manager: manager, Renderer: r, Memory: release.NewMemory(), Metadata: c, Events: recorder}
}

// Facts are those of the cluster, read through the given reader. What the server serves is read again after so long.
func (s *Server) Facts(reader client.Reader, catalogue *chart.Catalogue, ttl time.Duration) *facts.Cluster {
	d := discovery.NewDiscoveryClientForConfigOrDie(s.Config)
	return &facts.Cluster{Reader: reader, Resources: reader, Catalogue: catalogue, Served: &facts.Snapshot{
		TTL: ttl, Now: time.Now,
		Read: func(ctx context.Context) (plan.Capabilities, error) {
			served, err := capabilities.Read(ctx, d)
			return plan.Capabilities{Capabilities: served}, err
		},
	}}
}

// Set is the check of the project's definitions without a server.
func Set(tb testing.TB) *definition.Set {
	tb.Helper()
	files, err := crd.Files()
	must(tb, err)
	set, err := definition.New(files...)
	must(tb, err)
	return set
}

// Archives are the given versions of a stand-in chart, as a manager finds them in its folder.
func Archives(tb testing.TB, c charts.Chart, versions ...string) fstest.MapFS {
	tb.Helper()
	out := fstest.MapFS{}
	for _, v := range versions {
		archive, err := c.Archive(v)
		must(tb, err)
		out[c.Name()+"-"+v+".tgz"] = &fstest.MapFile{Data: archive}
	}
	return out
}

// Catalogue opens the charts of a folder, each of which must be usable.
func Catalogue(tb testing.TB, folder fs.FS) *chart.Catalogue {
	tb.Helper()
	opened, problems := chart.OpenCatalogue(folder, chart.DefaultLimits())
	if len(problems) > 0 {
		tb.Fatalf("charts that cannot be used: %v", problems)
	}
	return opened
}
