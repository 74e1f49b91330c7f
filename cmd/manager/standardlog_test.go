package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
)

// lines collects what is logged, for one reader and any number of writers.
type lines chan string

func (l lines) Info(_ string, pairs ...any)           { l <- "info: " + fmt.Sprint(pairs...) }
func (l lines) Error(_ error, _ string, pairs ...any) { l <- "error: " + fmt.Sprint(pairs...) }

func (l lines) next(t *testing.T) string {
	t.Helper()
	select {
	case line := <-l:
		return line
	case <-time.After(10 * time.Second):
		t.Fatal("nothing is logged")
		return ""
	}
}

func listen(t *testing.T) lines {
	t.Helper()
	flags, prefix, writer := log.Flags(), log.Prefix(), log.Writer()
	t.Cleanup(func() {
		log.SetFlags(flags)
		log.SetPrefix(prefix)
		log.SetOutput(writer)
	})
	heard := make(lines, 10)
	listenToStandardLog(heard)
	return heard
}

func TestAFailedHandshakeIsLogged(t *testing.T) {
	heard := listen(t)
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "this is no TLS record\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if line := heard.next(t); !strings.Contains(line, "TLS handshake error") || !strings.HasPrefix(line, "info: ") {
		t.Errorf("the handshake is logged as %q", line)
	}
}

func TestAPanicOfAHandlerIsLogged(t *testing.T) {
	heard := listen(t)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("the handler gave up") }))
	defer server.Close()
	if response, err := http.Get(server.URL); err == nil {
		_ = response.Body.Close()
		t.Error("the request was answered")
	}
	if line := heard.next(t); !strings.Contains(line, "the handler gave up") || !strings.HasPrefix(line, "error: ") {
		t.Errorf("the panic is logged as %q", line)
	}
}

func TestNothingOfAChartsValuesIsLogged(t *testing.T) {
	heard := listen(t)
	// Helm warns of a value in the place of a table, and prints the table.
	table := map[string]any{"outer": map[string]any{"inner": map[string]any{"password": "hunter2"}}}
	parent := &chart.Chart{Metadata: &chart.Metadata{Name: "parent"}, Values: table}
	if _, err := chartutil.CoalesceValues(parent, map[string]any{"outer": map[string]any{"inner": "a text"}}); err != nil {
		t.Fatal(err)
	}
	log.Print("[INFO] Fail: the password is\nhttp: hunter2")
	select {
	case line := <-heard:
		t.Errorf("logged: %s", line)
	default:
	}
	log.Print("http: Accept error: too many open files")
	if line := heard.next(t); !strings.Contains(line, "Accept error") {
		t.Errorf("logged: %s", line)
	}
}

func TestTheVersionIsWhatTheLinkerSaysElseWhatTheGoToolWrote(t *testing.T) {
	built := &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260101000000-abcdef"}}
	if got := versionOf(built, true); got != built.Main.Version {
		t.Errorf("the version is %q", got)
	}
	if got := versionOf(nil, false); got != "unknown" {
		t.Errorf("without a trace of a build the version is %q", got)
	}
	version = "1.2.3"
	t.Cleanup(func() { version = "" })
	if got := versionOf(built, true); got != "1.2.3" {
		t.Errorf("the version of a release is %q", got)
	}
}
