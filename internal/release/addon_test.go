package release_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/api/apps/v2alpha1"
	"github.com/portcullis-operator/portcullis/internal/release"
)

func changed[T any](o *T, change func(*T)) *T {
	change(o)
	return o
}

// What a neighbour sees decides who is woken: too much wakes everybody with every pass, too little leaves a change to the
// 30-second interval.
func TestWhatNeighboursSee(t *testing.T) {
	ready := []metav1.Condition{{Type: v2alpha1.ConditionAvailable, Status: metav1.ConditionTrue}}
	for name, tc := range map[string]struct {
		before, after client.Object
		want          bool
	}{
		"the version of an instance":         {&v2alpha1.GitLabCore{}, changed(&v2alpha1.GitLabCore{}, func(c *v2alpha1.GitLabCore) { c.Status.GitLabVersion = "19.4.1" }), true},
		"the hostname of an instance":        {&v2alpha1.GitLabCore{}, changed(&v2alpha1.GitLabCore{}, func(c *v2alpha1.GitLabCore) { c.Spec.Hostname = "git.example.org" }), true},
		"an instance that becomes available": {&v2alpha1.GitLabCore{}, changed(&v2alpha1.GitLabCore{}, func(c *v2alpha1.GitLabCore) { c.Status.Conditions = ready }), true},
		"the records of an instance": {&v2alpha1.GitLabCore{}, changed(&v2alpha1.GitLabCore{}, func(c *v2alpha1.GitLabCore) {
			c.ResourceVersion, c.Status.RenderedKinds, c.Status.HooksGeneration = "2", []string{"v1/Secret"}, 3
		}), false},
		"the queue of a Siphon":             {&v2alpha1.Siphon{}, changed(&v2alpha1.Siphon{}, func(s *v2alpha1.Siphon) { s.Spec.Queue.URL = "nats://other:4222" }), true},
		"the stream of a Siphon":            {&v2alpha1.Siphon{}, changed(&v2alpha1.Siphon{}, func(s *v2alpha1.Siphon) { s.Status.StreamName = "stream" }), true},
		"a Siphon that becomes available":   {&v2alpha1.Siphon{}, changed(&v2alpha1.Siphon{}, func(s *v2alpha1.Siphon) { s.Status.Conditions = ready }), true},
		"the look of a Siphon at its image": {&v2alpha1.Siphon{}, changed(&v2alpha1.Siphon{}, func(s *v2alpha1.Siphon) { s.Status.TablesCheckedAt = &metav1.Time{Time: time.Unix(1, 0)} }), false},
		"the endpoint of an Orbit":          {&v2alpha1.Orbit{}, changed(&v2alpha1.Orbit{}, func(o *v2alpha1.Orbit) { o.Status.GRPCEndpoint = "tls://graph:50054" }), true},
		"the key GitLab signs with":         {&v2alpha1.Orbit{}, changed(&v2alpha1.Orbit{}, func(o *v2alpha1.Orbit) { o.Spec.JWTSecretRef.Name = "other" }), true},
		"how an Orbit is, for which no instance waits": {&v2alpha1.Orbit{}, changed(&v2alpha1.Orbit{}, func(o *v2alpha1.Orbit) {
			o.Spec.Graph.Database, o.Status.Conditions = "other", ready
		}), false},
	} {
		if got := !equality.Semantic.DeepEqual(release.SeenByNeighbours(tc.before), release.SeenByNeighbours(tc.after)); got != tc.want {
			t.Errorf("%s is seen: %v, want %v", name, got, tc.want)
		}
	}
}
