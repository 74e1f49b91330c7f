package expect

import (
	"context"
	"fmt"

	"github.com/onsi/gomega/gcustom"
	"github.com/onsi/gomega/types"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ObeyStatusLaws matches a resource whose status breaks no law.
func ObeyStatusLaws() types.GomegaMatcher {
	broken := []string{}
	return gcustom.MakeMatcher(func(obj client.Object) (bool, error) {
		broken = StatusLaws(obj)
		return len(broken) == 0, nil
	}).WithTemplate("Expected the status of {{.Actual.GetName}} {{.To}} obey the laws of a status, but:{{range .Data}}\n  {{.}}{{end}}", &broken)
}

// HaveCondition matches a resource with this condition. An empty reason matches any.
func HaveCondition(kind string, want metav1.ConditionStatus, reason string) types.GomegaMatcher {
	return gcustom.MakeMatcher(func(obj client.Object) (bool, error) {
		c, there, err := Condition(obj, kind)
		return there && c.Status == want && (reason == "" || c.Reason == reason), err
	}).WithMessage(fmt.Sprintf("have the condition %s=%s with reason %q", kind, want, reason))
}

// ReadAs matches a resource that tools which know nothing of it read as this, such as status.CurrentStatus.
func ReadAs(want status.Status) types.GomegaMatcher {
	return gcustom.MakeMatcher(func(obj client.Object) (bool, error) {
		s, err := subjectOf(obj)
		if err != nil {
			return false, err
		}
		result, err := status.Compute(s.content)
		return err == nil && result.Status == want, err
	}).WithMessage("read as " + string(want))
}

// Condition returns one condition of a resource, typed or unstructured.
func Condition(obj client.Object, kind string) (metav1.Condition, bool, error) {
	s, err := subjectOf(obj)
	if err != nil {
		return metav1.Condition{}, false, err
	}
	c, there := s.find(kind)
	return c, there, nil
}

// Gone reports whether the API server no longer has the object; for use with Eventually.
func Gone(ctx context.Context, c client.Client, obj client.Object) func() (bool, error) {
	return func() (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
}
