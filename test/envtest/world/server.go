// Package world is what the suites against a real API server have in common: the server with its definitions, clients
// that count or lose calls, managers, and the reconcilers of releases put together as a manager that has just started.
// The controllers and collectors of a cluster run nowhere here; what they would do is played.
//
// It knows no test framework but the standard one, so that a benchmark can use it as well. What goes wrong while a world
// is made ends the test; what a spec asks of it afterwards comes back as an error or a value, for the spec to judge.
package world

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
)

// Server is one API server, and a client that may do everything there.
type Server struct {
	Config *rest.Config
	// Scheme knows the built-in kinds, definitions, and the GitLab kinds.
	Scheme *runtime.Scheme
	Live   client.WithWatch

	namespaces atomic.Int64
}

// Start runs an API server with the given definitions until the test ends. Where there are no programs to run it skips the
// test; everything else that goes wrong fails it.
func Start(tb testing.TB, definitions ...[]*apiextensionsv1.CustomResourceDefinition) *Server {
	tb.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		tb.Skip("KUBEBUILDER_ASSETS is not set: this suite needs a real API server (task test:envtest)")
	}
	s := &Server{Scheme: runtime.NewScheme()}
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v2alpha1.AddToScheme} {
		must(tb, add(s.Scheme))
	}
	environment := &envtest.Environment{ControlPlaneStartTimeout: 2 * time.Minute, ControlPlaneStopTimeout: time.Minute}
	environment.CRDInstallOptions.MaxTime = time.Minute
	for _, d := range definitions {
		environment.CRDs = append(environment.CRDs, d...)
	}
	// Every run of a fault suite has Services of its own, and nothing collects them here.
	environment.ControlPlane.GetAPIServer().Configure().Set("service-cluster-ip-range", "10.0.0.0/16")
	tb.Cleanup(func() {
		tb.Helper()
		if err := environment.Stop(); err != nil {
			tb.Errorf("stop the API server: %v", err)
		}
	})
	var err error
	s.Config, err = environment.Start()
	must(tb, err)
	s.Config.QPS = -1 // no limit: the specs make many small calls
	s.Live = s.Connect(tb, s.Config)
	return s
}

// Connect returns a client with discovery of its own, as a manager that just started has.
func (s *Server) Connect(tb testing.TB, config *rest.Config) client.WithWatch {
	tb.Helper()
	c, err := client.NewWithWatch(config, client.Options{Scheme: s.Scheme})
	must(tb, err)
	return c
}

// Namespace makes a namespace of its own for a spec and returns its name.
func (s *Server) Namespace(ctx context.Context, tb testing.TB) string {
	tb.Helper()
	name := fmt.Sprintf("spec-%d", s.namespaces.Add(1))
	must(tb, s.Live.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))
	return name
}

// FreePort returns a port of this machine that nobody listens on.
func FreePort(tb testing.TB) int {
	tb.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	must(tb, err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
