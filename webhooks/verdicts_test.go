package webhooks

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// counting is a check that counts how often it is made.
type counting struct {
	made    int
	verdict rules.Verdict
	err     error
}

func (c *counting) check(context.Context) (rules.Verdict, error) {
	c.made++
	return c.verdict, c.err
}

var (
	passes  = rules.Verdict{Faults: []rules.Fault{{Severity: rules.Warning, Code: rules.UnknownValue}}}
	refuses = rules.Verdict{Faults: []rules.Fault{{Code: rules.FieldInvalid}}}
)

func TestWhatIsRemembered(t *testing.T) {
	base := object(t, good)
	labelled := edit(base, func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"tier": "platform"}) })
	ran := edit(base, func(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{"version": "10.4.0"} })
	final := edit(ran, func(u *unstructured.Unstructured) {
		u.SetUID("2c0c")
		u.SetGeneration(1)
		u.SetResourceVersion("77")
		u.Object["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{"manager": "kubectl"}}
	})
	type ask struct {
		next, stored *unstructured.Unstructured
		fresh        bool
		after        time.Duration
	}
	cases := map[string]struct {
		verdict     rules.Verdict
		err         error
		first, then ask
		want        int
	}{
		"the second entry gets the verdict of the first":               {passes, nil, ask{next: base, fresh: true}, ask{next: final}, 1},
		"the first entry always checks anew":                           {passes, nil, ask{next: base, fresh: true}, ask{next: base, fresh: true}, 2},
		"a refusal is not remembered, so a mended fact counts at once": {refuses, nil, ask{next: base}, ask{next: base}, 2},
		"an error is not remembered":                                   {passes, errAway, ask{next: base}, ask{next: base}, 2},
		"a verdict is good for its time":                               {passes, nil, ask{next: base}, ask{next: base, after: 9 * time.Second}, 1},
		"and not longer":                                               {passes, nil, ask{next: base}, ask{next: base, after: 10 * time.Second}, 2},
		"other labels are another object, since they are checked too":  {passes, nil, ask{next: base}, ask{next: labelled}, 2},
		"a change is not a new object":                                 {passes, nil, ask{next: base}, ask{next: base, stored: base}, 2},
		"what ran counts on the stored object":                         {passes, nil, ask{next: base, stored: base}, ask{next: base, stored: ran}, 2},
		"what ran does not count on the incoming one":                  {passes, nil, ask{next: base, stored: ran}, ask{next: ran, stored: ran}, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(0, 0)
			v := &Verdicts{TTL: 10 * time.Second, Limit: 8, Now: func() time.Time { return now }}
			check := &counting{verdict: c.verdict, err: c.err}
			for _, a := range []ask{c.first, c.then} {
				now = now.Add(a.after)
				got, err := v.get(t.Context(), a.next, a.stored, a.fresh, check.check)
				if !errors.Is(err, c.err) || (err == nil && got.Refused() != c.verdict.Refused()) {
					t.Fatalf("answered with %v, %v", got, err)
				}
			}
			if check.made != c.want {
				t.Errorf("%d checks were made, not %d", check.made, c.want)
			}
		})
	}
}

func TestOnlySoManyVerdictsAreRemembered(t *testing.T) {
	v := &Verdicts{TTL: time.Minute, Limit: 10, Now: time.Now}
	for i := range 1000 {
		u := object(t, good)
		u.SetName(fmt.Sprintf("gitlab-%d", i))
		if _, err := v.get(t.Context(), u, nil, true, (&counting{verdict: passes}).check); err != nil {
			t.Fatal(err)
		}
		if len(v.known) > v.Limit {
			t.Fatalf("%d verdicts are remembered", len(v.known))
		}
	}
	if len(v.known) < v.Limit/2 {
		t.Errorf("only %d verdicts are remembered", len(v.known))
	}
}

func TestEqualRequestsShareOneCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &Verdicts{TTL: time.Minute, Limit: 10, Now: time.Now}
		var made int
		slow := func(context.Context) (rules.Verdict, error) {
			made++
			time.Sleep(time.Second)
			return refuses, nil
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if got, err := v.get(t.Context(), object(t, good), nil, true, slow); err != nil || !got.Refused() {
					t.Errorf("answered with %v, %v", got, err)
				}
			})
		}
		all.Wait()
		if made != 1 {
			t.Errorf("%d checks were made", made)
		}
	})
}

func TestACallerWhoLeavesDoesNotTakeTheCheckFromTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &Verdicts{TTL: time.Minute, Limit: 10, Now: time.Now}
		slow := func(ctx context.Context) (rules.Verdict, error) {
			select {
			case <-ctx.Done():
				return rules.Verdict{}, ctx.Err()
			case <-time.After(time.Second):
				return passes, nil
			}
		}
		hasty, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := v.get(hasty, object(t, good), nil, true, slow)
			left <- err
		}()
		synctest.Wait()
		stayed := make(chan error)
		go func() {
			_, err := v.get(t.Context(), object(t, good), nil, true, slow)
			stayed <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who left was told %v", err)
		}
		if err := <-stayed; err != nil {
			t.Errorf("who stayed was told %v", err)
		}
	})
}

func TestACheckWithoutAnEndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &Verdicts{TTL: time.Minute, Limit: 10, Now: time.Now}
		start := time.Now()
		_, err := v.get(t.Context(), object(t, good), nil, true, func(ctx context.Context) (rules.Verdict, error) {
			<-ctx.Done()
			return rules.Verdict{}, ctx.Err()
		})
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took >= TimeoutSeconds*time.Second {
			t.Errorf("ended with %v after %s; the API server waits %d s", err, took, TimeoutSeconds)
		}
	})
}
