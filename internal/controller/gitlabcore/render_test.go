package gitlabcore_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/plan"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/internal/rules"
	"github.com/portcullis-operator/portcullis/internal/schema"
	"github.com/portcullis-operator/portcullis/internal/testing/neighbours"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// The specs of this file need a chart and no cluster. HELM_CHARTS and CHART_VERSION name the chart; without them the
// fixture chart is used.
func TestRendering(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "What a GitLabCore renders")
}

// shelf is plan.Facts over a folder of charts, on a cluster that serves the Gateway API.
type shelf struct {
	neighbours.Known
	catalogue *chart.Catalogue
	version   string
}

func (s *shelf) Chart(ref chart.Ref) (*chart.Chart, error) { return s.catalogue.Open(ref) }

func (*shelf) ConfigMap(context.Context, string, string) (plan.Content, error) {
	return plan.Content{Presence: plan.Missing}, nil
}

func (*shelf) Secret(context.Context, string, string) (plan.Content, error) {
	return plan.Content{Presence: plan.Missing}, nil
}

func (*shelf) Capabilities(context.Context) (plan.Capabilities, error) {
	served := render.BuiltIn("v1.37.2")
	served.APIVersions = append(served.APIVersions, "gateway.networking.k8s.io/v1", "gateway.networking.k8s.io/v1/GatewayClass",
		"gateway.networking.k8s.io/v1/Gateway", "gateway.networking.k8s.io/v1/HTTPRoute", "gateway.networking.k8s.io/v1/TCPRoute",
		"gateway.envoyproxy.io/v1alpha1", "gateway.envoyproxy.io/v1alpha1/EnvoyProxy", "gateway.envoyproxy.io/v1alpha1/ClientTrafficPolicy")
	return plan.Capabilities{Capabilities: served}, nil
}

type inProcess struct{}

func (inProcess) Render(ctx context.Context, req render.Request) (render.Release, error) {
	return render.Render(ctx, req)
}

func openShelf() *shelf {
	GinkgoHelper()
	folder, version := os.Getenv("HELM_CHARTS"), os.Getenv("CHART_VERSION")
	if folder == "" {
		folder, version = GinkgoT().TempDir(), "10.4.1"
		Expect(charts.WriteArchives(folder, version)).To(Succeed())
	}
	Expect(version).NotTo(BeEmpty(), "CHART_VERSION names the version of HELM_CHARTS to render")
	catalogue, problems := chart.OpenCatalogue(os.DirFS(folder), chart.DefaultLimits())
	Expect(problems).To(BeEmpty())
	return &shelf{catalogue: catalogue, version: version}
}

// supportsProvisionedGateway reports whether the chart knows the modes that provision a Gateway.
func (s *shelf) supportsProvisionedGateway() bool {
	v, err := semver.NewVersion(s.version)
	return err == nil && !v.LessThan(semver.MustParse("10.4.0-0"))
}

func (s *shelf) core(change func(*v2alpha1.GitLabCoreSpec)) *v2alpha1.GitLabCore {
	ref := v2alpha1.SecretKeyRef{Name: "credentials", Key: "password"}
	core := &v2alpha1.GitLabCore{
		ObjectMeta: metav1.ObjectMeta{Name: "instance", Namespace: "gitlab"},
		Spec: v2alpha1.GitLabCoreSpec{
			Version:       v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: s.version},
			Hostname:      "gitlab.example.com",
			PostgreSQL:    &v2alpha1.Connection{Host: "postgresql", PasswordSecretRef: ref},
			Redis:         &v2alpha1.Connection{Host: "redis", PasswordSecretRef: ref},
			ObjectStorage: &v2alpha1.ObjectStorage{ConnectionSecretRef: ref},
		},
	}
	if change != nil {
		change(&core.Spec)
	}
	return core
}

func (s *shelf) plan(core *v2alpha1.GitLabCore) plan.Plan {
	GinkgoHelper()
	in, err := plan.Gather(context.Background(), s, plan.OfCore(core), derive.Settings{ManagerServiceAccount: "gitlab-manager"})
	Expect(err).NotTo(HaveOccurred())
	p, err := plan.Compose(context.Background(), plan.Tools{Schemas: schema.NewChecker(), Renderer: inProcess{}}, in, plan.Options{Render: true})
	Expect(err).NotTo(HaveOccurred())
	return p
}

func (s *shelf) rendered(core *v2alpha1.GitLabCore) *render.Release {
	GinkgoHelper()
	p := s.plan(core)
	Expect(rules.Verdict{Faults: p.Faults}.Errors()).To(BeEmpty())
	Expect(p.Rendered).NotTo(BeNil())
	return p.Rendered
}

func of(kind string, objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(objects), func(o *unstructured.Unstructured) bool { return o.GetKind() != kind })
}

var _ = Describe("A GitLabCore", func() {
	It("renders no route and no Gateway when it selects no networking mode", func() {
		objects := openShelf().objects(nil)
		for _, kind := range []string{"Gateway", "GatewayClass", "HTTPRoute", "TCPRoute"} {
			Expect(of(kind, objects)).To(BeEmpty(), kind)
		}
	})

	It("provisions a GatewayClass named after its namespace and name", func() {
		s := openShelf()
		if !s.supportsProvisionedGateway() {
			Skip("chart " + s.version + " is older than 10.4.0")
		}
		objects := s.objects(func(spec *v2alpha1.GitLabCoreSpec) {
			spec.Networking = &v2alpha1.Networking{EnvoyGatewayController: &v2alpha1.EnvoyGatewayController{ControllerName: "gateway.envoyproxy.io/shared"}}
		})
		classes := of("GatewayClass", objects)
		Expect(classes).To(HaveLen(1))
		Expect(classes[0].GetName()).To(Equal("gitlab.instance"))
		Expect(of("Gateway", objects)).To(HaveLen(1))
	})

	It("uses an existing GatewayClass without rendering one", func() {
		s := openShelf()
		if !s.supportsProvisionedGateway() {
			Skip("chart " + s.version + " is older than 10.4.0")
		}
		objects := s.objects(func(spec *v2alpha1.GitLabCoreSpec) {
			spec.Networking = &v2alpha1.Networking{GatewayClass: &v2alpha1.GatewayClass{
				Name:        "shared",
				CertManager: &v2alpha1.CertManager{IssuerRef: v2alpha1.IssuerRef{Name: "letsencrypt", Kind: v2alpha1.IssuerKindClusterIssuer}},
			}}
		})
		Expect(of("GatewayClass", objects)).To(BeEmpty())
		gateways := of("Gateway", objects)
		Expect(gateways).To(HaveLen(1))
		class, _, _ := unstructured.NestedString(gateways[0].Object, "spec", "gatewayClassName")
		Expect(class).To(Equal("shared"))
		Expect(gateways[0].GetAnnotations()).To(HaveKeyWithValue("cert-manager.io/cluster-issuer", "letsencrypt"))
	})

	It("binds its routes to an existing Gateway without rendering one", func() {
		objects := openShelf().objects(func(spec *v2alpha1.GitLabCoreSpec) {
			spec.Networking = &v2alpha1.Networking{Gateway: &v2alpha1.Gateway{Name: "shared", Namespace: "edge"}}
		})
		Expect(of("Gateway", objects)).To(BeEmpty())
		Expect(of("GatewayClass", objects)).To(BeEmpty())
		Expect(of("HTTPRoute", objects)).NotTo(BeEmpty())
	})

	It("is refused without object storage, in the chart's own words", func() {
		s := openShelf()
		p := s.plan(s.core(func(spec *v2alpha1.GitLabCoreSpec) { spec.ObjectStorage = nil }))
		var texts []string
		for _, f := range (rules.Verdict{Faults: p.Faults}).Errors() {
			Expect(f.Code).To(Equal(rules.RenderFailed))
			texts = append(texts, f.Message)
		}
		Expect(strings.Join(texts, "\n")).To(ContainSubstring("connection property can not be empty"))
	})

	It("stamps the release labels on metadata, never on selectors or pod templates", func() {
		for _, o := range openShelf().objects(nil) {
			Expect(o.GetLabels()).To(HaveKeyWithValue(object.LabelReleaseName, "instance"), o.GetName())
			for _, path := range [][]string{{"spec", "selector", "matchLabels"}, {"spec", "template", "metadata", "labels"}} {
				labels, _, _ := unstructured.NestedStringMap(o.Object, path...)
				Expect(labels).NotTo(HaveKey(object.LabelReleaseName), o.GetName())
			}
		}
	})

	It("renders the same objects on every pass", func() {
		s := openShelf()
		core := s.core(func(spec *v2alpha1.GitLabCoreSpec) {
			spec.Chart = &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(`{"gitlab":{"toolbox":{"enabled":false}}}`)}}
		})
		Expect(s.rendered(core).Objects).To(Equal(s.rendered(core).Objects))
	})
})

func (s *shelf) objects(change func(*v2alpha1.GitLabCoreSpec)) []*unstructured.Unstructured {
	GinkgoHelper()
	return s.rendered(s.core(change)).Objects
}
