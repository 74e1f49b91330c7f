package facts_test

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/portcullis-operator/portcullis/internal/facts"
	"github.com/portcullis-operator/portcullis/internal/plan"
)

// reader answers every read with one error, nil for an object that is there, and counts.
type reader struct {
	client.Reader
	err   error
	reads int
}

func (r *reader) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	r.reads++
	return r.err
}

// asked is what the cluster says of one object of each kind.
func asked(t *testing.T, c *facts.Cluster, namespace string) (map[string]plan.Presence, error) {
	t.Helper()
	configMap, err1 := c.ConfigMap(t.Context(), namespace, "x")
	secret, err2 := c.Secret(t.Context(), namespace, "x")
	core, err3 := c.GitLabCore(t.Context(), namespace, "x")
	siphon, err4 := c.Siphon(t.Context(), namespace, "x")
	orbit, err5 := c.Orbit(t.Context(), namespace, "x")
	return map[string]plan.Presence{
		"ConfigMap": configMap.Presence, "Secret": secret.Presence,
		"GitLabCore": core.Presence, "Siphon": siphon.Presence, "Orbit": orbit.Presence,
	}, errors.Join(err1, err2, err3, err4, err5)
}

// TestWhatIsKnownOfAnObject: a webhook is asked about every namespace, and one without an answer refuses every change of
// our kinds there.
func TestWhatIsKnownOfAnObject(t *testing.T) {
	resource := schema.GroupResource{Resource: "things"}
	errAPI := errors.New("the API server is away")
	cases := map[string]struct {
		watched   []string
		err       error
		want      plan.Presence
		unasked   bool
		undecided bool
	}{
		"one that is there is present":                                         {want: plan.Present},
		"one that is not there is missing":                                     {err: apierrors.NewNotFound(resource, "x"), want: plan.Missing},
		"one the Operator may not read is unknown, not missing":                {err: apierrors.NewForbidden(resource, "x", errAPI), want: plan.Unknown},
		"one of a namespace that is watched is asked for":                      {watched: []string{"other", "team"}, want: plan.Present},
		"one of a namespace that is not watched is unknown, and not asked for": {watched: []string{"other"}, err: errAPI, want: plan.Unknown, unasked: true},
		"one that could not be asked for has no answer":                        {err: errAPI, undecided: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := &reader{err: c.err}
			got, err := asked(t, &facts.Cluster{Reader: r, Resources: r, Namespaces: c.watched}, "team")
			if (err != nil) != c.undecided || (c.undecided && !errors.Is(err, errAPI)) {
				t.Fatalf("error %v", err)
			}
			for kind, presence := range got {
				if presence != c.want {
					t.Errorf("%s: %v, want %v", kind, presence, c.want)
				}
			}
			if (r.reads == 0) != c.unasked {
				t.Errorf("%d reads", r.reads)
			}
		})
	}
}
