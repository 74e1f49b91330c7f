package siphon

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/apply"
	"github.com/portcullis-operator/portcullis/internal/derive"
	"github.com/portcullis-operator/portcullis/internal/outcome"
	"github.com/portcullis-operator/portcullis/internal/release"
	"github.com/portcullis-operator/portcullis/internal/tables"
	"github.com/portcullis-operator/portcullis/internal/tableset"
)

// changes shortens a signature.
type changes = apply.ChangeSet

// Tables reads the image that holds the list of replicated tables. Pull secrets are the content of a
// kubernetes.io/dockerconfigjson Secret, nil for none.
type Tables interface {
	Digest(ctx context.Context, image string, pullSecret []byte) (string, error)
	Read(ctx context.Context, image string, pullSecret []byte) (tables.Content, error)
}

// tablesInterval is how often the registry is asked at most whether the image moved.
const tablesInterval = 5 * time.Minute

// tablesDue reports whether the registry has to be asked again: never where the last full pass published nothing.
func (p *pass) tablesDue() bool {
	said := apimeta.FindStatusCondition(p.siphon.Status.Conditions, v2alpha1.ConditionTablesResolved)
	if said != nil && said.Reason == v2alpha1.ReasonTablesMounted {
		return false
	}
	checked := p.next.TablesCheckedAt
	return checked == nil || p.Now.Sub(checked.Time) >= tablesInterval
}

// says notes the condition of the tables.
func (p *pass) says(status metav1.ConditionStatus, reason, message string) {
	p.tables = &metav1.Condition{Type: v2alpha1.ConditionTablesResolved, Status: status, Reason: reason, Message: message}
}

// publish sees to it that the pods find the list of replicated tables: in the image they mount, or in a ConfigMap that
// takes the image's place. What was published once goes on while the registry does not answer.
func (r *Reconciler) publish(ctx context.Context, p *pass, gitLabVersion string, rendering release.Rendering) (release.Rendering, outcome.Outcome) {
	mounted, image := tableset.Image(rendering.Objects, tableset.Volume), derive.SiphonTablesImage(p.siphon.Spec, gitLabVersion)
	p.next.TablesImage, p.next.TablesSource = image, derive.SiphonTablesSource(p.siphon.Spec)
	if mounted == "" || p.next.TablesSource == v2alpha1.TablesSourceImageVolume {
		p.next.TablesImage = mounted
		p.next.TablesDigest, p.next.TablesConfigMap, p.next.TablesCheckedAt, p.next.TableCount = "", "", nil, 0
		message := fmt.Sprintf("the pods mount the tables image %s themselves", mounted)
		if mounted == "" {
			message = "no pod mounts a tables image, so there is nothing to publish"
		}
		p.says(metav1.ConditionTrue, v2alpha1.ReasonTablesMounted, message)
		return rendering, outcome.Continue{}
	}
	published, o := r.tablesOf(ctx, p, image)
	if release.Stop(o) {
		return rendering, o
	}
	p.next.TablesConfigMap = published.GetName()
	tableset.Swap(rendering.Objects, tableset.Volume, published.GetName(), tableset.Keys(published))
	if _, err := tableset.Stamp(rendering.Objects, published); err != nil {
		return rendering, outcome.Fail{Reason: v2alpha1.ReasonRenderFailed, Err: err}
	}
	rendering.Objects = append([]*unstructured.Unstructured{published}, rendering.Objects...)
	return rendering, outcome.Continue{}
}

// tablesOf returns the ConfigMap of tables as it is to be applied.
func (r *Reconciler) tablesOf(ctx context.Context, p *pass, image string) (*unstructured.Unstructured, outcome.Outcome) {
	live, err := r.publishedTables(ctx, p)
	if err != nil {
		return nil, outcome.Fail{Reason: v2alpha1.ReasonApplyFailed, Err: err}
	}
	holds := live != nil && tableset.Holds(live, image, p.next.TablesDigest)
	if holds && !p.tablesDue() {
		return p.again(live, image)
	}
	content, err := r.read(ctx, p, image, holds)
	if err != nil {
		return r.keep(p, live, image, err)
	}
	p.next.TablesCheckedAt = &metav1.Time{Time: p.Now.Truncate(time.Second)}
	if content == nil {
		return p.again(live, image)
	}
	made, err := tableset.ConfigMap(derive.SiphonTablesConfigMap(p.siphon.Name), p.siphon.Namespace, image, content.Digest, content.Files)
	if err != nil {
		return r.keep(p, live, image, err)
	}
	p.next.TablesDigest, p.next.TableCount = content.Digest, int32(min(tableset.Count(content.Files), 1<<30)) //nolint:gosec // bounded above
	p.says(metav1.ConditionTrue, v2alpha1.ReasonTablesPublished, fmt.Sprintf("%d tables of image %s (%s) are published", p.next.TableCount, image, content.Digest))
	return made, outcome.Continue{}
}

// again returns the published ConfigMap as it was applied, for another apply.
func (p *pass) again(live *unstructured.Unstructured, image string) (*unstructured.Unstructured, outcome.Outcome) {
	p.says(metav1.ConditionTrue, v2alpha1.ReasonTablesUnchanged, fmt.Sprintf("the tables of image %s (%s) are published", image, p.next.TablesDigest))
	made, err := anew(live)
	if err != nil {
		return nil, outcome.Fail{Reason: v2alpha1.ReasonApplyFailed, Err: err}
	}
	return made, outcome.Continue{}
}

// anew makes a published ConfigMap again from what it holds.
func anew(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	files, ok := tableset.Files(live)
	if !ok {
		return nil, fmt.Errorf("read ConfigMap %s of the tables: %w", live.GetName(), errNotTables)
	}
	is := live.GetAnnotations()
	made, err := tableset.ConfigMap(live.GetName(), live.GetNamespace(), is[v2alpha1.AnnotationTablesImage], is[v2alpha1.AnnotationTablesDigest], files)
	if err != nil {
		return nil, fmt.Errorf("make ConfigMap %s of the tables again: %w", live.GetName(), err)
	}
	return made, nil
}

// errNotTables says that a ConfigMap does not hold what was published in it.
var errNotTables = errors.New("it holds something else than was published")

// read reads the image, or returns nil when it still is the one that is published.
func (r *Reconciler) read(ctx context.Context, p *pass, image string, holds bool) (*tables.Content, error) {
	credentials, err := r.pullSecret(ctx, p)
	if err != nil {
		return nil, err
	}
	if holds {
		digest, err := r.Tables.Digest(ctx, image, credentials)
		if err != nil {
			return nil, fmt.Errorf("ask for the tables image: %w", err)
		}
		if digest == p.next.TablesDigest {
			return nil, nil
		}
	}
	content, err := r.Tables.Read(ctx, image, credentials)
	if err != nil {
		return nil, fmt.Errorf("read the tables image: %w", err)
	}
	return &content, nil
}

// keep goes on with what was published before, or waits where nothing was.
func (r *Reconciler) keep(p *pass, live *unstructured.Unstructured, image string, err error) (*unstructured.Unstructured, outcome.Outcome) {
	reason := v2alpha1.ReasonTablesFetchFailed
	if _, large := errors.AsType[*tableset.TooLargeError](err); large || errors.Is(err, tables.ErrTooLarge) {
		reason = v2alpha1.ReasonTablesTooLarge
	}
	message := fmt.Sprintf("image %s: %s", image, err)
	p.says(metav1.ConditionFalse, reason, message)
	if live == nil {
		return nil, outcome.Wait{Reason: outcome.Reason(reason), Message: message, After: release.Interval}
	}
	is := live.GetAnnotations()
	if !tableset.Holds(live, is[v2alpha1.AnnotationTablesImage], is[v2alpha1.AnnotationTablesDigest]) {
		return nil, outcome.Wait{Reason: outcome.Reason(reason), Message: message, After: release.Interval}
	}
	made, err := anew(live)
	if err != nil {
		return nil, outcome.Fail{Reason: v2alpha1.ReasonApplyFailed, Err: err}
	}
	p.next.TablesImage, p.next.TablesDigest = is[v2alpha1.AnnotationTablesImage], is[v2alpha1.AnnotationTablesDigest]
	p.next.TablesCheckedAt = &metav1.Time{Time: p.Now.Truncate(time.Second)}
	return made, outcome.Continue{}
}

func (r *Reconciler) publishedTables(ctx context.Context, p *pass) (*unstructured.Unstructured, error) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	name := derive.SiphonTablesConfigMap(p.siphon.Name)
	err := r.Engine.Client.Get(ctx, client.ObjectKey{Namespace: p.siphon.Namespace, Name: name}, live)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read ConfigMap %s of the tables: %w", name, err)
	}
	return live, nil
}

// pullSecret returns the credentials the image is pulled with, nil for none.
func (r *Reconciler) pullSecret(ctx context.Context, p *pass) ([]byte, error) {
	if p.siphon.Spec.Tables == nil || p.siphon.Spec.Tables.PullSecretRef == nil {
		return nil, nil
	}
	name := p.siphon.Spec.Tables.PullSecretRef.Name
	var secret corev1.Secret
	if err := r.Engine.Client.Get(ctx, client.ObjectKey{Namespace: p.siphon.Namespace, Name: name}, &secret); err != nil {
		return nil, fmt.Errorf("read Secret %s of spec.tables.pullSecretRef: %w", name, err)
	}
	credentials, ok := secret.Data[corev1.DockerConfigJsonKey]
	if !ok {
		return nil, fmt.Errorf("read Secret %s of spec.tables.pullSecretRef: it has no key %s: %w", name, corev1.DockerConfigJsonKey, errPullSecret)
	}
	return credentials, nil
}

// errPullSecret says that a pull secret is of another type than it has to be.
var errPullSecret = errors.New("it must be of the type kubernetes.io/dockerconfigjson")
