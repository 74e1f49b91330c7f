package sandbox

import (
	"errors"
	"testing"

	"github.com/portcullis-operator/portcullis/internal/render"
)

func TestADeathForWantOfMemoryIsToldFromOthers(t *testing.T) {
	const memory = 512 << 20
	noThread := "runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n"
	cases := map[string]struct {
		death DeathError
		want  render.ErrorKind
	}{
		"the heap cannot grow":                          {DeathError{Words: "fatal error: runtime: out of memory\n"}, render.Limit},
		"a map of memory is refused":                    {DeathError{Words: "runtime: mmap: cannot allocate memory\n"}, render.Limit},
		"a stack without an end":                        {DeathError{Words: "runtime: goroutine stack exceeds 67108864-byte limit\n"}, render.Limit},
		"no room for the stack of a thread":             {DeathError{Words: noThread, Peak: memory / 2}, render.Limit},
		"no room for a thread started without C":        {DeathError{Words: "runtime: failed to create new OS thread (have 9 already; errno=11)\n", Peak: memory / 2}, render.Limit},
		"no thread left on the machine":                 {DeathError{Words: noThread, Peak: memory / 32}, render.Internal},
		"the system ended it":                           {DeathError{State: "signal: killed"}, render.Limit},
		"a fault of the program":                        {DeathError{State: "exit status 2", Words: "panic: index out of range\n", Peak: memory / 2}, render.Internal},
		"a fault of the program that says nothing more": {DeathError{State: "exit status 2"}, render.Internal},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			var got *render.Error
			if err := (&process{}).explain(&c.death, memory); !errors.As(err, &got) || got.Kind != c.want {
				t.Errorf("explain = %v, want the kind %s", err, c.want)
			}
		})
	}
}
