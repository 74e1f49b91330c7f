package webhooks

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// errBroken says that the check itself broke. What it broke on stays in the log.
var errBroken = errors.New("the check broke")

// Verdicts carries verdicts over the moment between the two entries of one request, and lets equal requests that arrive
// at once share one check. It holds nothing but verdicts and digests. A refusal is not kept: after it the second entry
// is never asked, and whoever mends a referenced object must not be answered with what was true before.
type Verdicts struct {
	// TTL is how long a verdict is good for. It is short, because facts change.
	TTL time.Duration
	// Limit is how many verdicts are kept.
	Limit int
	// Now is the clock.
	Now func() time.Time

	flights singleflight.Group
	mu      sync.Mutex
	known   map[string]remembered
}

type remembered struct {
	verdict rules.Verdict
	until   time.Time
}

// get returns the verdict on an object in front of what is stored: from the check where it is to be fresh, else from
// memory if there is one. It returns when ctx ends; a check that others wait for goes on without this caller.
func (v *Verdicts) get(
	ctx context.Context, next, stored *unstructured.Unstructured, fresh bool, check func(context.Context) (rules.Verdict, error),
) (rules.Verdict, error) {
	key, err := digest(next, stored)
	if err != nil {
		return rules.Verdict{}, err
	}
	if verdict, ok := v.recall(key); ok && !fresh {
		return verdict, nil
	}
	landed := v.flights.DoChan(key, func() (any, error) {
		// The check belongs to all who wait for it, not to the caller who came first and may leave first.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reviewTimeout)
		defer cancel()
		verdict, err := guarded(ctx, check)
		if err == nil && !verdict.Refused() {
			v.remember(key, verdict)
		}
		return verdict, err
	})
	select {
	case <-ctx.Done():
		return rules.Verdict{}, fmt.Errorf("wait for the check: %w", context.Cause(ctx))
	case result := <-landed:
		verdict, _ := result.Val.(rules.Verdict)
		return verdict, result.Err
	}
}

// guarded turns a panic of the check into an error: it runs in a goroutine of its own, where a panic would take the
// process down, and with it every other request. The panic's text may quote a value, so only its place is logged.
func guarded(ctx context.Context, check func(context.Context) (rules.Verdict, error)) (verdict rules.Verdict, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			verdict, err = rules.Verdict{}, fmt.Errorf("%w (%T)", errBroken, broken)
			logf.FromContext(ctx).Error(err, "this is a fault of the Operator; please report it with the place below", "stack", string(debug.Stack()))
		}
	}()
	return check(ctx)
}

func (v *Verdicts) recall(key string) (rules.Verdict, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r, ok := v.known[key]
	if !ok || !v.Now().Before(r.until) {
		return rules.Verdict{}, false
	}
	return r.verdict, true
}

func (v *Verdicts) remember(key string, verdict rules.Verdict) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.Now()
	if v.known == nil || len(v.known) >= v.Limit {
		kept := map[string]remembered{}
		for k, r := range v.known {
			if now.Before(r.until) && len(kept) < v.Limit/2 {
				kept[k] = r
			}
		}
		v.known = kept
	}
	v.known[key] = remembered{verdict: verdict, until: now.Add(v.TTL)}
}

// digest identifies a request by all that a verdict depends on of the objects themselves.
func digest(next, stored *unstructured.Unstructured) (string, error) {
	parts := []map[string]any{lasting(next)}
	// A status that comes in with a write of the object is dropped by the API server, and by the check as well.
	delete(parts[0], "status")
	if stored != nil {
		parts = append(parts, lasting(stored))
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("digest of the object: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text)), nil
}

// lasting returns an object without what the API server sets between the two entries of one request.
func lasting(u *unstructured.Unstructured) map[string]any {
	out := maps.Clone(u.Object)
	if metadata, ok := out["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		for _, passing := range []string{"uid", "creationTimestamp", "generation", "resourceVersion", "managedFields", "selfLink"} {
			delete(metadata, passing)
		}
		out["metadata"] = metadata
	}
	return out
}
