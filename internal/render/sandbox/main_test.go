package sandbox

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/object"
	"github.com/portcullis-operator/portcullis/internal/render"
)

// The arguments on which the test binary is a render process: a good one, and several that misbehave.
const (
	roleWorker  = "render-worker"
	roleGarbage = "garbage-worker"
	rolePanic   = "panic-worker"
	roleMute    = "mute-worker"
	roleTalk    = "talking-worker"
	roleStill   = "stillborn-worker"
)

func TestMain(m *testing.M) {
	if len(os.Args) != 2 || !strings.HasSuffix(os.Args[1], "-worker") {
		os.Exit(m.Run())
	}
	os.Exit(play(os.Args[1]))
}

// play is a process of the given role.
func play(role string) int {
	if role == roleWorker {
		return Main(os.Stdin, os.Stdout)
	}
	if role == roleStill {
		fmt.Fprintln(os.Stderr, "no breath")
		return 3
	}
	if err := readFrame(os.Stdin, &setup{}); err != nil {
		return 1
	}
	if err := writeFrame(os.Stdout, answer{}); err != nil {
		return 1
	}
	if err := readFrame(os.Stdin, &question{}); err != nil {
		return 0
	}
	switch role {
	case roleGarbage:
		fmt.Println("Hello, I am no frame at all, and I go on for longer than a head has bytes")
	case roleTalk:
		fmt.Fprint(os.Stderr, strings.Repeat("chatter ", 100_000))
		_ = writeFrame(os.Stdout, answer{NeedChart: true})
		_ = readFrame(os.Stdin, &question{})
		_ = writeFrame(os.Stdout, answer{NeedChart: true})
	case rolePanic:
		panic("the worker broke")
	}
	_ = readFrame(os.Stdin, &question{})
	return 0
}

// poolOf starts a pool whose processes are this test binary in the given role.
func poolOf(tb testing.TB, role string, config Config) *Pool {
	tb.Helper()
	if config.Command == nil {
		self, err := os.Executable()
		if err != nil {
			tb.Fatal(err)
		}
		config.Command = []string{self, role}
	}
	pool := New(config)
	tb.Cleanup(pool.Close)
	return pool
}

// settled waits until every worker is back in its place with a process.
func settled(pool *Pool) {
	for len(pool.free) < cap(pool.free) {
		time.Sleep(time.Millisecond)
	}
}

// chartOf makes a chart of files besides its Chart.yaml.
func chartOf(tb testing.TB, files map[string]string) *chart.Chart {
	tb.Helper()
	list := []chart.File{{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: small\nversion: 1.0.0\nappVersion: \"7\"\n")}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, chart.File{Name: name, Data: []byte(files[name])})
	}
	c, err := chart.FromFiles(list, chart.DefaultLimits())
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// oneTemplate is a request to render a single template.
func oneTemplate(tb testing.TB, text string, values map[string]any) render.Request {
	tb.Helper()
	return requestFor(chartOf(tb, map[string]string{"templates/t.yaml": text}), values)
}

func requestFor(c *chart.Chart, values map[string]any) render.Request {
	return render.Request{
		Release: object.Release{Name: "pharos", Namespace: "alexandria", Kind: "gitlabcore"},
		Chart:   c, Values: values, Capabilities: render.BuiltIn("v1.37.2"),
	}
}

// configMap is a template that says what it was given.
const configMap = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Values.name | default "plain" }}
data:
  mode: 0400
  from: {{ .Values.from | default "nobody" | quote }}
`
