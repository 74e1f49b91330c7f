package sandbox

import (
	"context"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/portcullis-operator/portcullis/internal/chart"
	"github.com/portcullis-operator/portcullis/internal/render"
	"github.com/portcullis-operator/portcullis/test/charts"
)

// realChart is the archive of a published GitLab chart to measure besides our own.
var realChart = flag.String("real-chart", "", "archive of a published GitLab chart to render as well")

// measured returns the requests the benchmarks render.
func measured(b *testing.B) map[string]render.Request {
	b.Helper()
	values, err := chartutil.ReadValuesFile("../testdata/gitlab-values.yaml")
	if err != nil {
		b.Fatal(err)
	}
	content, err := charts.Files("10.4.1")
	if err != nil {
		b.Fatal(err)
	}
	var files []chart.File
	for name, data := range content {
		files = append(files, chart.File{Name: name, Data: data})
	}
	out := map[string]render.Request{"fixture": requestOf(b, files, values)}
	if *realChart == "" {
		return out
	}
	archive, err := os.Open(*realChart)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	buffered, err := loader.LoadArchiveFiles(archive)
	if err != nil {
		b.Fatal(err)
	}
	files = nil
	for _, f := range buffered {
		files = append(files, chart.File{Name: f.Name, Data: f.Data})
	}
	out["published"] = requestOf(b, files, values)
	return out
}

func requestOf(b *testing.B, files []chart.File, values map[string]any) render.Request {
	b.Helper()
	c, err := chart.FromFiles(files, chart.DefaultLimits())
	if err != nil {
		b.Fatal(err)
	}
	return requestFor(c, values)
}

// BenchmarkRender measures a render in a warm process, beside one in place that has to parse the chart each time.
func BenchmarkRender(b *testing.B) {
	for name, req := range measured(b) {
		b.Run(name+"/in place", func(b *testing.B) {
			used := processorTime(b, "self")
			for b.Loop() {
				if _, err := render.Render(context.WithoutCancel(b.Context()), req); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((processorTime(b, "self")-used)/float64(b.N), "cpu-ms/op")
		})
		b.Run(name+"/in a warm process", func(b *testing.B) {
			pool := poolOf(b, roleWorker, Config{Workers: 1, Timeout: time.Minute})
			if _, err := pool.Render(b.Context(), req); err != nil {
				b.Fatal(err)
			}
			settled(pool)
			pid := strconv.Itoa(pool.idle[0].process.command.Process.Pid)
			used := processorTime(b, "self") + processorTime(b, pid)
			for b.Loop() {
				if _, err := pool.Render(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((processorTime(b, "self")+processorTime(b, pid)-used)/float64(b.N), "cpu-ms/op")
			b.Logf("the process: %s", memoryOf(pid))
		})
		b.Run(name+"/in a new process", func(b *testing.B) {
			for b.Loop() {
				pool := poolOf(b, roleWorker, Config{Workers: 1, Timeout: time.Minute})
				if _, err := pool.Render(b.Context(), req); err != nil {
					b.Fatal(err)
				}
				pool.Close()
			}
		})
	}
}

// memoryOf reads what the kernel counts for a process: what it used at most, uses now, and what its bound counts.
func memoryOf(pid string) string {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return "unknown"
	}
	var out []string
	for line := range strings.Lines(string(status)) {
		for _, field := range []string{"VmHWM:", "VmRSS:", "VmData:"} {
			if strings.HasPrefix(line, field) {
				out = append(out, strings.Join(strings.Fields(line), " "))
			}
		}
	}
	return strings.Join(out, ", ")
}

// processorTime returns the milliseconds a process has used, which a busy machine disturbs less than the time on the wall.
func processorTime(b *testing.B, pid string) float64 {
	b.Helper()
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		b.Skipf("no /proc to measure with: %v", err)
	}
	// The second field, the name, may hold blanks; it ends with the last bracket. User and system time are 14 and 15.
	fields := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))
	var ticks float64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return ticks * 10
}
