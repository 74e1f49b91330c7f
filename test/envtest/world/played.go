package world

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// RollOut plays the Deployment and StatefulSet controllers: the named workloads of a namespace, or all of them, are rolled
// out.
func RollOut(ctx context.Context, c client.Client, namespace string, names ...string) error {
	var deployments appsv1.DeploymentList
	if err := c.List(ctx, &deployments, client.InNamespace(namespace)); err != nil {
		return fmt.Errorf("list the Deployments to roll out: %w", err)
	}
	var sets appsv1.StatefulSetList
	if err := c.List(ctx, &sets, client.InNamespace(namespace)); err != nil {
		return fmt.Errorf("list the StatefulSets to roll out: %w", err)
	}
	var workloads []client.Object
	for _, d := range deployments.Items {
		n := ptr.Deref(d.Spec.Replicas, 1)
		d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n}
		workloads = append(workloads, &d)
	}
	for _, s := range sets.Items {
		n := ptr.Deref(s.Spec.Replicas, 1)
		s.Status = appsv1.StatefulSetStatus{ObservedGeneration: s.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n, CurrentReplicas: n}
		workloads = append(workloads, &s)
	}
	for _, o := range workloads {
		if len(names) > 0 && !slices.Contains(names, o.GetName()) {
			continue
		}
		if err := c.Status().Update(ctx, o); err != nil {
			return fmt.Errorf("roll out %s: %w", o.GetName(), err)
		}
	}
	return nil
}

// EndJob plays the Job controller: a Job ends with the condition Complete or Failed.
func EndJob(ctx context.Context, c client.Client, key client.ObjectKey, how batchv1.JobConditionType) error {
	job := &batchv1.Job{}
	if err := c.Get(ctx, key, job); err != nil {
		return fmt.Errorf("read the Job that ends: %w", err)
	}
	now, first := metav1.Now(), batchv1.JobSuccessCriteriaMet
	job.Status.StartTime = &now
	if how == batchv1.JobComplete {
		job.Status.CompletionTime, job.Status.Succeeded = &now, 1
	} else {
		first, job.Status.Failed = batchv1.JobFailureTarget, 1
	}
	for _, t := range []batchv1.JobConditionType{first, how} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: t, Status: corev1.ConditionTrue, LastProbeTime: now, LastTransitionTime: now, Reason: "Ended", Message: "as the spec wants",
		})
	}
	if err := c.Status().Update(ctx, job); err != nil {
		return fmt.Errorf("end the Job: %w", err)
	}
	return nil
}
