// Package crd holds the resource definitions to a real API server: it must refuse every broken example at the fields the
// examples name, accept every sample, and agree with the check that runs without it.
package crd_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/portcullis-operator/portcullis/config/crd"
	"github.com/portcullis-operator/portcullis/internal/definition"
)

const assets = "KUBEBUILDER_ASSETS"

var (
	environment *envtest.Environment
	cluster     client.Client
	offline     *definition.Set
)

func TestDefinitions(t *testing.T) {
	if os.Getenv(assets) == "" {
		t.Skip(assets + " is not set: these specs need the programs of an API server, see CONTRIBUTING.md")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "The resource definitions")
}

var _ = BeforeSuite(func() {
	files, err := crd.Files()
	Expect(err).NotTo(HaveOccurred())
	offline, err = definition.New(files...)
	Expect(err).NotTo(HaveOccurred())

	environment = &envtest.Environment{CRDDirectoryPaths: []string{"../../../config/crd/bases"}, ErrorIfCRDPathMissing: true}
	config, err := environment.Start()
	Expect(err).NotTo(HaveOccurred())
	cluster, err = client.New(config, client.Options{Scheme: runtime.NewScheme()})
	Expect(err).NotTo(HaveOccurred())
})

var _ = AfterSuite(func() {
	if environment != nil {
		Expect(environment.Stop()).To(Succeed())
	}
})
