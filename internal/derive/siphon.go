package derive

import (
	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/values"
)

// SiphonFacts is what the values of a Siphon depend on beside its spec.
type SiphonFacts struct {
	// GitLabVersion of the instance, without a leading v; empty while it is not known.
	GitLabVersion string
	// PodMonitors says that the cluster serves PodMonitor of monitoring.coreos.com/v1.
	PodMonitors bool
}

// Siphon returns the layers of a Siphon, lowest first: structured fields with the operator's defaults, the free-form
// values, the overrides. No password is among them: the pods read each from its Secret key and expand it at their start.
// The error is a *FieldError.
func Siphon(obj *v2alpha1.Siphon, facts SiphonFacts) ([]values.Layer, error) {
	freeForm, err := addOnValues(obj.Spec.Chart)
	if err != nil {
		return nil, err
	}
	b := values.NewBuilder(values.Derived)
	setSiphonRelease(b, obj, facts)
	setConnection(b, obj.Spec)
	setLayout(b)
	setSiphonTables(b, obj.Spec, facts.GitLabVersion)
	for _, name := range deploymentsOf(obj.Name) {
		setDeployment(b, name, obj.Spec, facts)
	}
	return []values.Layer{b.Layer(), freeForm, siphonOverrides(obj.Name)}, nil
}

// addOnValues is the free-form layer of an add-on, which has no references.
func addOnValues(chart *v2alpha1.ChartValues) (values.Layer, error) {
	if chart == nil {
		return freeFormLayer(nil)
	}
	return freeFormLayer(&v2alpha1.Chart{Values: chart.Values})
}

func deploymentsOf(name string) []string {
	producer, consumer, reconciler := SiphonDeployments(name)
	return []string{producer, consumer, reconciler}
}

// setSiphonRelease sets what concerns the release as a whole. The chart has namespaces of its own as defaults, and names
// its two shared ConfigMaps alike in every release; with the name of the Siphon two of them fit into one namespace.
func setSiphonRelease(b *values.Builder, obj *v2alpha1.Siphon, facts SiphonFacts) {
	if obj.Namespace != "" {
		b.Set(operatorOwn, obj.Namespace, "namespace")
		b.Set(operatorOwn, obj.Namespace, "monitoring_namespace")
	}
	if facts.GitLabVersion != "" {
		b.Set("spec.gitlabRef", imageTag(facts.GitLabVersion), "global", "gitlabVersion")
	}
	b.Set(operatorOwn, SiphonImageTag, "image", "tag")
	b.Set(operatorOwn, obj.Name+"-siphon-connection", "siphonConnectionConfigMap", "name")
	b.Set(operatorOwn, obj.Name+"-siphon-layout", "siphonLayoutConfigMap", "name")
	// The chart shows what a deployment looks like with one that is on.
	b.Set(operatorOwn, false, "deployments", "example-postgres-producer", "enabled")
}

// setSiphonTables names the image only where the pods mount it: what they mount and what the status says is then the
// same, whatever repository the chart has as its default.
func setSiphonTables(b *values.Builder, spec v2alpha1.SiphonSpec, gitlabVersion string) {
	if t := spec.Tables; t != nil && t.PullSecretRef != nil {
		b.Set("spec.tables.pullSecretRef.name", []any{map[string]any{"name": t.PullSecretRef.Name}}, "podSpec", "imagePullSecrets")
	}
	image := SiphonTablesImage(spec, gitlabVersion)
	if SiphonTablesSource(spec) != v2alpha1.TablesSourceImageVolume || image == "" {
		return
	}
	field := operatorOwn
	if spec.Tables.Image != "" {
		field = "spec.tables.image"
	}
	b.Set(field, image, "tables", "image", "reference")
}

// setDeployment sets one of the three. Every pod reads the whole connection, so each needs all the credentials in it.
func setDeployment(b *values.Builder, name string, spec v2alpha1.SiphonSpec, facts SiphonFacts) {
	b.Set(operatorOwn, true, "deployments", name, "enabled")
	b.Set("spec", credentials(spec), "deployments", name, "envFromSecrets")
	if tls := spec.Queue.TLS; tls != nil {
		b.Set("spec.queue.tls.secretName", tls.SecretName, "deployments", name, "natsClientCertsSecretName")
	}
	if facts.PodMonitors {
		b.Set(operatorOwn, true, "deployments", name, "podmonitor")
	}
}

// siphonOverrides sets what the chart or the fixed topology does not work without.
func siphonOverrides(name string) values.Layer {
	b := values.NewBuilder(values.Override)
	b.Set(operatorOwn, "split", "configMode")
	b.Set(operatorOwn, true, "siphonConnectionConfigMap", "create")
	b.Set(operatorOwn, true, "siphonLayoutConfigMap", "create")
	// It asks for an image that no field names, and the Operator waits for the instance anyway.
	b.Set(operatorOwn, false, "waitForMigrations", "enabled")
	for i, role := range []string{"producer", "consumer", "reconciler"} {
		deployment := deploymentsOf(name)[i]
		b.Set(operatorOwn, "split", "deployments", deployment, "configMode")
		b.Set(operatorOwn, role, "deployments", deployment, "split", "role")
	}
	return b.Layer()
}
