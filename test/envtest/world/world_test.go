package world

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// A verb that goes past the function is one that no fault suite ever loses. The list of verbs is the client library's, so
// this finds one that a newer library has.
func TestEveryVerbOfAClientGoesThroughTheFunction(t *testing.T) {
	asked := 0
	around := Around(func(context.Context, Call, func() error) error { asked++; return ErrNoAnswer })
	funcs := reflect.ValueOf(around.verbs())
	for i := range funcs.NumField() {
		verb, name := funcs.Field(i), funcs.Type().Field(i).Name
		if name == "SubResource" { // It sends nothing: it leads to the verbs of a subresource.
			continue
		}
		if verb.IsNil() {
			t.Errorf("%s goes past it", name)
			continue
		}
		var nothing []reflect.Value
		for n := range verb.Type().NumIn() - 1 {
			nothing = append(nothing, reflect.Zero(verb.Type().In(n)))
		}
		before := asked
		answer := verb.Call(nothing)
		if err, _ := reflect.TypeAssert[error](answer[len(answer)-1]); asked != before+1 || !errors.Is(err, ErrNoAnswer) {
			t.Errorf("%s asked it %d times and answered %v", name, asked-before, err)
		}
	}
}

func TestALostCallIsLostOnceBeforeOrAfterItTookEffect(t *testing.T) {
	for name, tc := range map[string]struct {
		after  bool
		stored []string
	}{
		"before": {false, []string{"first", "third"}},
		"after":  {true, []string{"first", "second", "third"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			store := fake.NewFakeClient()
			c, calls := Counting(Failing(store, Fault{Call: 2, After: tc.after}))
			for _, n := range []string{"first", "second", "third"} {
				err := c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: n}})
				if lost := errors.Is(err, ErrNoAnswer); lost != (n == "second") || err != nil && !lost {
					t.Errorf("the creation of %s ended with %v", n, err)
				}
			}
			var all corev1.ConfigMapList
			if err := c.List(ctx, &all); err != nil {
				t.Fatal(err)
			}
			var stored []string
			for _, o := range all.Items {
				stored = append(stored, o.Name)
			}
			if !reflect.DeepEqual(stored, tc.stored) {
				t.Errorf("stored are %v", stored)
			}
			if want := []string{"create first", "create second", "create third"}; calls.Reads.Load() != 1 || !reflect.DeepEqual(calls.Log(), want) {
				t.Errorf("counted %d reads and %v", calls.Reads.Load(), calls.Log())
			}
		})
	}
}

func TestACallIsWrittenAsItIsAsked(t *testing.T) {
	c, calls := Counting(fake.NewFakeClient())
	o := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	for _, err := range []error{
		c.Create(t.Context(), o.DeepCopy(), client.DryRunAll), c.Create(t.Context(), o), c.Patch(t.Context(), o, client.MergeFrom(o.DeepCopy())),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	_ = c.Status().Patch(t.Context(), o, client.MergeFrom(o.DeepCopy()))
	if want := []string{"dry create a", "create a", "patch a", "patch status a"}; !reflect.DeepEqual(calls.Log(), want) {
		t.Errorf("the log is %q", calls.Log())
	}
}

func TestAStreamOfDefinitionsIsReadToItsEndOrNotAtAll(t *testing.T) {
	const good = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\n"
	for name, tc := range map[string]struct {
		stream string
		want   int
		refuse bool
	}{
		"two definitions and a comment":  {"# a word before\n---\n" + good + "---\n" + good, 2, false},
		"a document that does not parse": {good + "---\n{\n---\n" + good, 0, true},
		"a field that no definition has": {good + "---\n" + good + "specc: {}\n", 0, true},
		"an object of another kind":      {good + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n", 0, true},
		"a definition without a name":    {strings.Replace(good, "name:", "generateName:", 1), 0, true},
		"nothing":                        {"", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := definitions([]byte(tc.stream))
			if len(got) != tc.want || (err != nil) != tc.refuse {
				t.Errorf("read %d, %v", len(got), err)
			}
		})
	}
	if len(Own(t)) == 0 || len(Routing(t)) == 0 {
		t.Error("there are no definitions")
	}
}
