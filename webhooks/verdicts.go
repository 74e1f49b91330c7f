package webhooks

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/portcullis-operator/portcullis/internal/rules"
)

// Verdicts remembers verdicts for the moment between the two entries of one request, and lets equal requests that
// arrive at once share one check. It holds nothing but verdicts and digests.
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

// get returns the verdict on an object in front of what is stored, from memory or from the check.
func (v *Verdicts) get(next, stored *unstructured.Unstructured, check func() (rules.Verdict, error)) (rules.Verdict, error) {
	key, err := digest(next, stored)
	if err != nil {
		return rules.Verdict{}, err
	}
	if verdict, ok := v.recall(key); ok {
		return verdict, nil
	}
	result, err, _ := v.flights.Do(key, func() (any, error) {
		verdict, err := check()
		if err == nil {
			v.remember(key, verdict)
		}
		return verdict, err
	})
	if err != nil {
		return rules.Verdict{}, fmt.Errorf("review: %w", err)
	}
	verdict, ok := result.(rules.Verdict)
	if !ok {
		return rules.Verdict{}, fmt.Errorf("a review ended with %T", result)
	}
	return verdict, nil
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
		fresh := map[string]remembered{}
		for k, r := range v.known {
			if now.Before(r.until) && len(fresh) < v.Limit/2 {
				fresh[k] = r
			}
		}
		v.known = fresh
	}
	v.known[key] = remembered{verdict: verdict, until: now.Add(v.TTL)}
}

// digest identifies a request by all a verdict depends on of the object itself.
func digest(next, stored *unstructured.Unstructured) (string, error) {
	type part struct {
		APIVersion, Kind, Namespace, Name string
		Spec, Status                      any
	}
	of := func(u *unstructured.Unstructured) *part {
		if u == nil {
			return nil
		}
		return &part{u.GetAPIVersion(), u.GetKind(), u.GetNamespace(), u.GetName(), u.Object["spec"], u.Object["status"]}
	}
	text, err := json.Marshal([]*part{of(next), of(stored)})
	if err != nil {
		return "", fmt.Errorf("digest of the object: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text)), nil
}
