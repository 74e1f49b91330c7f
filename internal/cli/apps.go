//go:build bridge

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/admit"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/definition"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
	schemas "github.com/portcullis-operator/portcullis/internal/schema"
)

// checker checks the GitLab kinds over files: the webhook's reviewer with other facts.
type checker struct {
	definitions *definition.Set
	schemas     *schemas.Checker
	// reviewer opens the charts, which takes a while, so it is made for the first resource that needs it.
	reviewer func() (*admit.Reviewer, error)
}

func newChecker(c *command, s store) (*checker, error) {
	files, err := crd.Files()
	if err != nil {
		return nil, fmt.Errorf("read the resource definitions: %w", err)
	}
	definitions, err := definition.New(files...)
	if err != nil {
		return nil, fmt.Errorf("read the resource definitions: %w", err)
	}
	k := &checker{definitions: definitions, schemas: schemas.NewChecker()}
	k.reviewer = sync.OnceValues(func() (*admit.Reviewer, error) {
		catalogue, err := c.catalogue()
		if err != nil {
			return nil, err
		}
		return &admit.Reviewer{
			Definitions: definitions,
			Tools:       plan.Tools{Schemas: k.schemas, Renderer: &renderer{charts: map[string]*render.Prepared{}}},
			Facts:       &fileFacts{catalogue: catalogue, store: s, served: c.served()},
			Settings:    derive.Settings{ManagerServiceAccount: c.ManagerServiceAccount},
		}, nil
	})
	return k, nil
}

func (k *checker) kinds() []schema.GroupVersionKind { return k.definitions.Kinds() }

// review checks one resource of a known kind.
func (k *checker) review(ctx context.Context, u *unstructured.Unstructured, req request) (*reviewed, error) {
	chartless := u.GetKind() == v2alpha1.KindGitLabSecrets
	reviewer := &admit.Reviewer{Definitions: k.definitions}
	if !chartless {
		var err error
		if reviewer, err = k.reviewer(); err != nil {
			return nil, err
		}
	}
	review, err := reviewer.Review(ctx, admit.Request{New: u, Strict: req.strict, NoRender: req.noRender})
	if err != nil {
		return nil, fmt.Errorf("the check could not be made: %w", err)
	}
	out := &reviewed{faults: review.Verdict.Faults, chartless: chartless, effective: review.Plan.Effective}
	if opened := review.Plan.Chart; opened != nil {
		out.chart = opened.Ref.Name + " " + opened.Ref.Version
		if req.defaults {
			if out.defaults, err = k.schemas.Defaults(opened); err != nil {
				return nil, fmt.Errorf("read the defaults of chart %s: %w", out.chart, err)
			}
		}
	}
	if review.Plan.Rendered != nil {
		out.release(*review.Plan.Rendered)
	}
	return out, nil
}

// hookEvent is the only event whose hooks the operator runs.
const hookEvent = "pre-install"

// release sorts a rendered release into what is applied, in order, and what is not.
func (r *reviewed) release(rendered render.Release) {
	r.appVersion, r.objects = rendered.AppVersion, []applied{}
	leave := func(u *unstructured.Unstructured, why string) {
		r.leftOut = append(r.leftOut, object.RefOf(u).String()+" is not applied: "+why)
	}
	for _, d := range rendered.Definitions {
		why, _ := object.NeverApplied(d)
		leave(d, why)
	}
	for _, h := range rendered.Hooks {
		switch why, never := object.NeverApplied(h.Object); {
		case never:
			leave(h.Object, why)
		case !slices.Contains(h.Events, hookEvent):
			leave(h.Object, "it is a hook of "+strings.Join(h.Events, ", ")+", and the Operator runs those of "+hookEvent+" only")
		default:
			r.objects = append(r.objects, applied{fmt.Sprintf("%s hook, weight %d", hookEvent, h.Weight), h.Object})
		}
	}
	for _, u := range rendered.Objects {
		if why, never := object.NeverApplied(u); never {
			leave(u, why)
		} else {
			r.objects = append(r.objects, applied{object: u})
		}
	}
	for _, w := range rendered.Warnings {
		r.leftOut = append(r.leftOut, w.Text)
	}
}

// catalogue opens the charts at hand and says on standard error which of them cannot be used.
func (c *command) catalogue() (*chart.Catalogue, error) {
	folder, named := c.charts, "--charts"
	if folder == "" {
		folder, named = c.Charts, "HELM_CHARTS"
	}
	if folder == "" {
		folder, named = defaultCharts, ""
	}
	tree := c.Folder(folder)
	if info, err := fs.Stat(tree, "."); err != nil || !info.IsDir() {
		if named != "" {
			return nil, cannot("%s names the folder of charts, and %s is none", named, folder)
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			say(c.Stderr, "%s: warning: there is no folder ./%s; name the folder of charts with --charts or HELM_CHARTS\n", c.Name, defaultCharts)
			return &chart.Catalogue{}, nil
		}
	}
	catalogue, problems := chart.OpenCatalogue(tree, chart.DefaultLimits())
	for _, p := range problems {
		say(c.Stderr, "%s: warning: %s cannot be used as a chart: %s\n", c.Name, p.Entry, p.Sentence)
	}
	return catalogue, nil
}

// served is what the cluster is taken to serve. Nothing is said about kinds that are not served unless the person
// listed what is, kind by kind: a bare group/version does not tell which kinds it has.
func (c *command) served() plan.Capabilities {
	capabilities := render.BuiltIn(c.kubeVersion)
	if c.kubeVersion == "" {
		capabilities = render.BuiltIn("v" + defaultKubeVersion)
	}
	assumed := len(c.apiVersions) == 0
	for _, api := range c.apiVersions {
		parts := strings.Split(api, "/")
		group := api
		if len(parts) > 1 && isKind(parts[len(parts)-1]) {
			group = strings.Join(parts[:len(parts)-1], "/")
		} else if !slices.Contains(capabilities.APIVersions, api) {
			assumed = true
		}
		for _, entry := range []string{group, api} {
			if !slices.Contains(capabilities.APIVersions, entry) {
				capabilities.APIVersions = append(capabilities.APIVersions, entry)
			}
		}
	}
	slices.Sort(capabilities.APIVersions)
	return plan.Capabilities{Capabilities: capabilities, Assumed: assumed}
}

// isKind tells a kind from a version: kinds start with a capital.
func isKind(part string) bool { return part != "" && part[0] >= 'A' && part[0] <= 'Z' }
