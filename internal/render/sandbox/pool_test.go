package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portcullis-operator/portcullis/internal/render"
)

// rich has something in every field of a release.
func rich(tb testing.TB) render.Request {
	tb.Helper()
	req := requestFor(chartOf(tb, map[string]string{
		"templates/a.yaml": configMap,
		"templates/b.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: h\n  annotations: {helm.sh/hook: pre-install, helm.sh/hook-weight: \"3\"}\n" +
			"---\napiVersion: v1\nkind: Pod\nmetadata: {name: u, annotations: {helm.sh/hook: never}}\n",
		"templates/c.yaml":    `{{ $s := lookup "v1" "Secret" "ns" "s" }}{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {{ toJson $s.data }}}`,
		"templates/NOTES.txt": "Notes of {{ .Release.Name }}\n",
		"crds/d.yaml":         "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: d}\nspec: {n: 3, f: 1.5}\n",
	}), map[string]any{"from": "values", "n": int64(1000000)})
	req.Found = map[render.LookupKey]map[string]any{
		{APIVersion: "v1", Kind: "Secret", Namespace: "ns", Name: "s"}: {"kind": "Secret", "data": map[string]any{"k": "djE="}, "n": int64(5)},
	}
	return req
}

func TestARenderInAProcessEqualsOneInPlace(t *testing.T) {
	pool := poolOf(t, roleWorker, Config{Workers: 1})
	want, err := render.Render(t.Context(), rich(t))
	if err != nil {
		t.Fatalf("in place: %v", err)
	}
	for _, when := range []string{"with the chart sent", "with the chart known"} {
		got, err := pool.Render(t.Context(), rich(t))
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-in place +in a process):\n%s", when, diff)
		}
	}
}

func TestARefusalInAProcessEqualsOneInPlace(t *testing.T) {
	pool := poolOf(t, roleWorker, Config{Workers: 1})
	for _, text := range []string{`{{ fail "first\n\nsecond" }}`, `{{ required "needed" nil }}`, "{{ .Values.a.b.c }}", "a: [", "{{ if }}"} {
		_, wantErr := render.Render(t.Context(), oneTemplate(t, text, nil))
		_, gotErr := pool.Render(t.Context(), oneTemplate(t, text, nil))
		var want, got *render.Error
		if !errors.As(wantErr, &want) || !errors.As(gotErr, &got) {
			t.Fatalf("%s: in place %v, in a process %v", text, wantErr, gotErr)
		}
		if want.Kind != got.Kind || want.Template != got.Template || want.Text != got.Text {
			t.Errorf("%s: in place %+v, in a process %+v", text, want, got)
		}
	}
}

func TestNothingATemplateDoesTakesTheParentDown(t *testing.T) {
	pool := poolOf(t, roleWorker, Config{Workers: 1, MemoryLimit: 256 << 20, Timeout: time.Minute})
	cases := map[string]struct {
		text string
		want render.ErrorKind
	}{
		"a list of a hundred million numbers":   {`{{ tpl .Values.evil . }}`, render.Limit},
		"a text of twenty gigabytes":            {`{{ repeat 20000000000 "x" }}`, render.Limit},
		"a text of a gigabyte":                  {`{{ repeat 1000000000 "x" }}`, render.Limit},
		"a text that doubles again and again":   {`{{ $x := "x" }}{{ range until 40 }}{{ $x = print $x $x }}{{ end }}`, render.Limit},
		"an include of itself":                  {`{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`, render.Template},
		"two includes of each other":            {`{{ define "a" }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`, render.Limit},
		"a template call of itself":             {`{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`, render.Limit},
		"a tpl of itself":                       {`{{ tpl .Values.self . }}`, render.Limit},
		"output above its bound":                {`{{ range until 30 }}{{ repeat 4000000 "#" }}{{ end }}`, render.Limit},
		"a value nested deeper than any parser": {`{{ repeat 200000 "[" }}`, render.Template},
	}
	values := map[string]any{"evil": "{{ len (until 100000000) }}", "self": "{{ tpl .Values.self . }}"}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			begun := time.Now()
			_, err := pool.Render(t.Context(), oneTemplate(t, c.text, values))
			var got *render.Error
			if !errors.As(err, &got) || got.Kind != c.want {
				var death *DeathError
				errors.As(err, &death)
				t.Fatalf("Render = %v, want an error of the kind %s; %#v", err, c.want, death)
			}
			t.Logf("%s: %s", time.Since(begun).Round(time.Millisecond), got)
			if _, err := pool.Render(t.Context(), oneTemplate(t, configMap, nil)); err != nil {
				t.Errorf("the next render: %v", err)
			}
		})
	}
}

func TestARenderThatTakesTooLongIsEnded(t *testing.T) {
	pool := poolOf(t, roleWorker, Config{Workers: 1, Timeout: 2 * time.Second})
	if _, err := pool.Render(t.Context(), oneTemplate(t, configMap, nil)); err != nil {
		t.Fatalf("warming up: %v", err)
	}
	begun := time.Now()
	_, err := pool.Render(t.Context(), oneTemplate(t, "{{ range 1000000000000 }}{{ end }}", nil))
	if !errors.Is(err, ErrTimeout) {
		t.Fatalf("Render = %v, want ErrTimeout", err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %s to end a render of two seconds", took)
	}
	if _, err := pool.Render(t.Context(), oneTemplate(t, configMap, nil)); err != nil {
		t.Errorf("the next render: %v", err)
	}
}

func TestARenderThatFindsNoProcessInTimeSaysSo(t *testing.T) {
	pool := poolOf(t, roleWorker, Config{Workers: 1, Timeout: 20 * time.Second, QueueLimit: 100 * time.Millisecond})
	if _, err := retried(t, pool, oneTemplate(t, configMap, nil)); err != nil {
		t.Fatalf("warming up: %v", err)
	}
	settled(pool)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Go(func() {
		_, err := pool.Render(ctx, oneTemplate(t, "{{ range 1000000000000 }}{{ end }}", nil))
		var got *render.Error
		if !errors.As(err, &got) || got.Kind != render.Canceled || !errors.Is(err, context.Canceled) {
			t.Errorf("the long render = %v, want Canceled", err)
		}
	})
	for len(pool.free) > 0 {
		time.Sleep(time.Millisecond)
	}
	if _, err := pool.Render(t.Context(), oneTemplate(t, configMap, nil)); !errors.Is(err, ErrBusy) {
		t.Errorf("Render = %v, want ErrBusy", err)
	}
	// Once nobody waits for the long render it is ended, and its place is free again.
	cancel()
	waiting.Wait()
	if _, err := retried(t, pool, oneTemplate(t, configMap, nil)); err != nil {
		t.Errorf("after the long render was given up: %v", err)
	}
}

// retried renders again as long as the pool is busy.
func retried(t *testing.T, pool *Pool, req render.Request) (render.Release, error) {
	t.Helper()
	for range 100 {
		release, err := pool.Render(t.Context(), req)
		if !errors.Is(err, ErrBusy) {
			return release, err
		}
	}
	return render.Release{}, ErrBusy
}

func TestEqualRequestsShareOneRender(t *testing.T) {
	pool := poolOf(t, roleWorker, Config{Workers: 2})
	// What is random tells one render from another.
	req := oneTemplate(t, `{{ range 200000 }}{{ end }}{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {r: {{ randAlphaNum 20 | quote }}}}`, nil)
	const callers = 8
	var seen sync.Map
	var all sync.WaitGroup
	var failed atomic.Int32
	for i := range callers {
		all.Go(func() {
			release, err := pool.Render(t.Context(), req)
			if err != nil {
				t.Errorf("caller %d: %v", i, err)
				failed.Add(1)
				return
			}
			seen.Store(fmt.Sprint(release.Objects[0].Object["data"]), true)
			release.Objects[0].SetName("mine")
			release.Objects[0].Object["data"] = nil
		})
	}
	all.Wait()
	renders := 0
	seen.Range(func(_, _ any) bool { renders++; return true })
	if failed.Load() == 0 && renders == callers {
		t.Errorf("%d equal requests at once made %d renders", callers, renders)
	}
}

func TestProcessesThatMisbehave(t *testing.T) {
	for sentence, c := range map[string]struct {
		role string
		want error
	}{
		"one that writes something else":           {roleGarbage, nil},
		"one that panics":                          {rolePanic, nil},
		"one that dies before its first word":      {roleStill, nil},
		"one that asks for the chart without end":  {roleTalk, nil},
		"one that never answers":                   {roleMute, ErrTimeout},
		"a program that does not exist whatsoever": {"", nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			config := Config{Workers: 1, Timeout: time.Minute}
			if c.want != nil {
				config.Timeout = 500 * time.Millisecond
			}
			if c.role == "" {
				config.Command = []string{"/nowhere/at/all"}
			}
			pool := poolOf(t, c.role, config)
			for range 2 {
				_, err := pool.Render(t.Context(), oneTemplate(t, configMap, nil))
				var got *render.Error
				switch {
				case c.want != nil && errors.Is(err, c.want):
				case c.want == nil && errors.As(err, &got) && got.Kind == render.Internal:
				default:
					t.Errorf("Render = %v", err)
				}
			}
		})
	}
}

func TestAProcessThatDiesWhileIdleIsReplacedUnnoticed(t *testing.T) {
	pool := poolOf(t, roleWorker, Config{Workers: 1})
	if _, err := pool.Render(t.Context(), oneTemplate(t, configMap, nil)); err != nil {
		t.Fatalf("warming up: %v", err)
	}
	settled(pool)
	<-pool.free
	first := pool.idle[0].process
	first.kill()
	<-first.ended
	pool.free <- struct{}{}
	if _, err := pool.Render(t.Context(), oneTemplate(t, configMap, nil)); err != nil {
		t.Errorf("the render after the death: %v", err)
	}
}

func TestAProcessHasNoEnvironmentAndEndsWithItsInput(t *testing.T) {
	t.Setenv("PORTCULLIS_TEST_TOKEN", "s3cret")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := start([]string{self, roleWorker}, 512<<20)
	if err != nil {
		t.Fatal(err)
	}
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.command.Process.Pid))
	if err != nil {
		t.Skipf("no /proc to look into: %v", err)
	}
	want := "GOTRACEBACK=none\x00GOMAXPROCS=2"
	if got := strings.Trim(string(environment), "\x00"); got != want {
		t.Errorf("the environment has %d bytes more than it should", len(got)-len(want))
	}
	// In the middle of a render, as when the parent dies.
	q, err := ask(oneTemplate(t, "{{ range 1000000000000 }}{{ end }}", nil))
	if err != nil {
		t.Fatal(err)
	}
	q.Files = oneTemplate(t, "{{ range 1000000000000 }}{{ end }}", nil).Chart.Files()
	if err := writeFrame(p.stdin, q); err != nil {
		t.Fatal(err)
	}
	if err := p.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		p.kill()
		t.Error("the process outlived its input")
	}
}

func TestAClosedPoolRendersNothing(t *testing.T) {
	pool := poolOf(t, roleWorker, Config{Workers: 1})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		_, err := pool.Render(t.Context(), oneTemplate(t, "{{ range 1000000000000 }}{{ end }}", nil))
		if !errors.Is(err, ErrClosed) && !errors.Is(err, ErrTimeout) {
			t.Errorf("the render under way = %v, want ErrClosed", err)
		}
	})
	time.Sleep(50 * time.Millisecond)
	pool.Close()
	waiting.Wait()
	if _, err := pool.Render(t.Context(), oneTemplate(t, configMap, nil)); !errors.Is(err, ErrClosed) {
		t.Errorf("Render = %v, want ErrClosed", err)
	}
}
