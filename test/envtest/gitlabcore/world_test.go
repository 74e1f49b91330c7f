// Package gitlabcore_test takes the GitLabCore reconciler through its life against a real API server. No controller runs
// there, so the specs play the Job controller themselves and workloads never become ready.
package gitlabcore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/controller/gitlabcore"
	"github.com/portcullis-operator/portcullis/test/charts"
	"github.com/portcullis-operator/portcullis/test/envtest/world"
)

// start starts the API server the specs share, with the charts of a manager on either side of an upgrade.
func start(tb testing.TB) *world.Releases {
	tb.Helper()
	return world.StartReleases(tb, world.Catalogue(tb, world.Archives(tb, charts.GitLab(), "10.3.0", "10.4.0", "10.4.1", "10.5.0")))
}

// reconciler returns a reconciler that talks through the given client, with a memory of its own: a manager that has
// just started.
func reconciler(c client.Client, now func() time.Time) *gitlabcore.Reconciler {
	return &gitlabcore.Reconciler{
		Cached: c, Reviewer: w.Reviewer(c), Engine: w.Engine(c, gitlabcore.Manager, events.NewFakeRecorder(1000)), Now: now,
	}
}

// small is a GitLabCore whose release is as small as the chart allows: no hooks, a handful of components.
func small(namespace string) *v2alpha1.GitLabCore {
	ref := v2alpha1.SecretKeyRef{Name: "credentials", Key: "password"}
	return &v2alpha1.GitLabCore{
		ObjectMeta: metav1.ObjectMeta{Name: "instance", Namespace: namespace},
		Spec: v2alpha1.GitLabCoreSpec{
			Version:       v2alpha1.VersionSpec{Type: v2alpha1.VersionStatic, Version: "10.4.0"},
			Hostname:      "gitlab.example.com",
			PostgreSQL:    &v2alpha1.Connection{Host: "postgresql", PasswordSecretRef: ref},
			Redis:         &v2alpha1.Connection{Host: "redis", PasswordSecretRef: ref},
			ObjectStorage: &v2alpha1.ObjectStorage{ConnectionSecretRef: ref},
			Chart: &v2alpha1.Chart{Values: &apiextensionsv1.JSON{Raw: []byte(
				`{"shared-secrets":{"enabled":false},"prometheus":{"install":false},"gitlab":{"toolbox":{"enabled":false}}}`)}},
		},
	}
}

// withHooks is a GitLabCore whose release has the shared-secrets hooks.
func withHooks(namespace string) *v2alpha1.GitLabCore {
	core := small(namespace)
	core.Spec.Chart.Values.Raw = []byte(`{"prometheus":{"install":false}}`)
	return core
}

// without is a small GitLabCore whose values also switch one component of the chart off.
func without(component string) []byte {
	return fmt.Appendf(nil, `{"shared-secrets":{"enabled":false},"prometheus":{"install":false},"gitlab":{"toolbox":{"enabled":false},%q:{"enabled":false}}}`, component)
}

// unserved is a small GitLabCore that also renders an object of a kind the cluster does not serve.
func unserved(namespace string) *v2alpha1.GitLabCore {
	core := small(namespace)
	core.Spec.Chart.Values.Raw = []byte(`{"shared-secrets":{"enabled":false},"prometheus":{"install":false},"gitlab":{"toolbox":{"enabled":false}},
		"extraResources":[{"apiVersion":"monitoring.example.com/v1","kind":"Probe","metadata":{"name":"front-door"}}]}`)
	return core
}

// routed is a small GitLabCore that brings a GatewayClass of its own.
func routed(namespace string) *v2alpha1.GitLabCore {
	core := small(namespace)
	core.Spec.Networking = &v2alpha1.Networking{EnvoyGatewayController: &v2alpha1.EnvoyGatewayController{ControllerName: "gateway.example.com/shared"}}
	return core
}

// request names the resource of a namespace.
func request(namespace string) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: "instance"}}
}

// oneLine makes a message readable in a failure.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }
