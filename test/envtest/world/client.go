package world

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// ErrNoAnswer is what a caller sees of a call that was lost.
var ErrNoAnswer = errors.New("the API server does not answer this call")

// Call is one call of a client.
type Call struct {
	// Verb is get, list, watch, create, update, patch, apply, delete or deletecollection.
	Verb string
	// Sub is the subresource it is about, empty for the object itself.
	Sub string
	// Name is that of the object, empty for several of them.
	Name string
	// Object is what the caller passed: an object, a list or an apply configuration.
	Object any
	// Dry says that nothing is to be stored.
	Dry bool
}

// Reads reports whether the call leaves everything as it is, by its verb.
func (c Call) Reads() bool { return slices.Contains([]string{"get", "list", "watch"}, c.Verb) }

// String is the call in words: "create a", "dry patch a", "patch status a".
func (c Call) String() string {
	words := []string{c.Verb, c.Sub, c.Name}
	if c.Dry {
		words = append([]string{"dry"}, words...)
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// Around decides about one call: it sends it, or not, and returns what the caller is told.
type Around func(ctx context.Context, call Call, send func() error) error

// Through returns a client every call of which, whatever its verb, goes through a function.
func Through(c client.WithWatch, around Around) client.WithWatch {
	return interceptor.NewClient(c, around.verbs())
}

// Fault is the one call of a client that is lost.
type Fault struct {
	// Call is its number, counted from 1 over all verbs. None is lost where it is 0.
	Call int64
	// After says that it reaches the server and takes effect, and only the answer is lost.
	After bool
	// Err is what the caller is told, ErrNoAnswer where it is nil.
	Err error
}

// Failing returns a client that loses one call, once.
func Failing(c client.WithWatch, f Fault) client.WithWatch {
	var sent atomic.Int64
	return Through(c, func(_ context.Context, _ Call, send func() error) error {
		if sent.Add(1) != f.Call {
			return send()
		}
		if f.After {
			_ = send()
		}
		if f.Err != nil {
			return f.Err
		}
		return ErrNoAnswer
	})
}

// Calls counts what a client was asked to send.
type Calls struct {
	Reads, Writes atomic.Int64

	mu  sync.Mutex
	log []string
}

// Total is the number of calls of every verb.
func (n *Calls) Total() int64 { return n.Reads.Load() + n.Writes.Load() }

// Log lists the writes in the order they were asked for, each as Call.String has it.
func (n *Calls) Log() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.log)
}

// Counting returns a client that counts its calls.
func Counting(c client.WithWatch) (client.WithWatch, *Calls) {
	n := &Calls{}
	return Through(c, func(_ context.Context, call Call, send func() error) error {
		if call.Reads() {
			n.Reads.Add(1)
			return send()
		}
		n.Writes.Add(1)
		n.mu.Lock()
		n.log = append(n.log, call.String())
		n.mu.Unlock()
		return send()
	}), n
}

// verbs leads every verb of an object through the function, and every verb of a subresource.
func (a Around) verbs() interceptor.Funcs {
	funcs := a.subresources()
	funcs.Get = func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		return a(ctx, Call{Verb: "get", Name: key.Name, Object: o}, func() error { return c.Get(ctx, key, o, opts...) })
	}
	funcs.List = func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
		return a(ctx, Call{Verb: "list", Object: l}, func() error { return c.List(ctx, l, opts...) })
	}
	funcs.Watch = func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
		var stream watch.Interface
		err := a(ctx, Call{Verb: "watch", Object: l}, func() (err error) { stream, err = c.Watch(ctx, l, opts...); return err })
		if err != nil && stream != nil {
			stream.Stop()
			stream = nil
		}
		return stream, err
	}
	funcs.Create = func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
		call := Call{Verb: "create", Name: named(o), Object: o, Dry: len((&client.CreateOptions{}).ApplyOptions(opts).DryRun) > 0}
		return a(ctx, call, func() error { return c.Create(ctx, o, opts...) })
	}
	funcs.Update = func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
		call := Call{Verb: "update", Name: named(o), Object: o, Dry: len((&client.UpdateOptions{}).ApplyOptions(opts).DryRun) > 0}
		return a(ctx, call, func() error { return c.Update(ctx, o, opts...) })
	}
	funcs.Patch = func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
		call := Call{Verb: "patch", Name: named(o), Object: o, Dry: len((&client.PatchOptions{}).ApplyOptions(opts).DryRun) > 0}
		return a(ctx, call, func() error { return c.Patch(ctx, o, p, opts...) })
	}
	funcs.Apply = func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
		call := Call{Verb: "apply", Name: named(o), Object: o, Dry: len((&client.ApplyOptions{}).ApplyOptions(opts).DryRun) > 0}
		return a(ctx, call, func() error { return c.Apply(ctx, o, opts...) })
	}
	funcs.Delete = func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
		call := Call{Verb: "delete", Name: named(o), Object: o, Dry: len((&client.DeleteOptions{}).ApplyOptions(opts).DryRun) > 0}
		return a(ctx, call, func() error { return c.Delete(ctx, o, opts...) })
	}
	funcs.DeleteAllOf = func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteAllOfOption) error {
		return a(ctx, Call{Verb: "deletecollection", Object: o}, func() error { return c.DeleteAllOf(ctx, o, opts...) })
	}
	return funcs
}

func (a Around) subresources() interceptor.Funcs {
	return interceptor.Funcs{
		SubResourceGet: func(ctx context.Context, c client.Client, sub string, o, to client.Object, opts ...client.SubResourceGetOption) error {
			return a(ctx, Call{Verb: "get", Sub: sub, Name: named(o), Object: o}, func() error { return c.SubResource(sub).Get(ctx, o, to, opts...) })
		},
		SubResourceCreate: func(ctx context.Context, c client.Client, sub string, o, body client.Object, opts ...client.SubResourceCreateOption) error {
			return a(ctx, Call{Verb: "create", Sub: sub, Name: named(o), Object: o}, func() error { return c.SubResource(sub).Create(ctx, o, body, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return a(ctx, Call{Verb: "update", Sub: sub, Name: named(o), Object: o}, func() error { return c.SubResource(sub).Update(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return a(ctx, Call{Verb: "patch", Sub: sub, Name: named(o), Object: o}, func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
		SubResourceApply: func(ctx context.Context, c client.Client, sub string, o runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			return a(ctx, Call{Verb: "apply", Sub: sub, Name: named(o), Object: o}, func() error { return c.SubResource(sub).Apply(ctx, o, opts...) })
		},
	}
}

// named is the name of what has one.
func named(o any) string {
	if has, ok := o.(interface{ GetName() string }); ok {
		return has.GetName()
	}
	return ""
}
