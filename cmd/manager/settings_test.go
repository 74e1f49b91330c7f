package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func environment(pairs map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := pairs[name]
		return v, ok
	}
}

func TestEveryWrongSettingIsNamedAtOnce(t *testing.T) {
	_, err := readSettings(
		[]string{"--concurrency", "0", "--render-workers", "0", "--namespace", "Not_Mine", "--webhook-port", "70000", "--watch-namespaces", "good,Not_Good", "--webhook-cert-dir", "/no/such/folder"},
		environment(map[string]string{envBridge: "perhaps", envServiceAccount: "Not A Name"}))
	if err == nil {
		t.Fatal("the start goes on")
	}
	for _, want := range []string{"--concurrency", "--render-workers", "--namespace", "--webhook-port", "Not_Good", "--webhook-cert-dir", "ENABLE_BRIDGE must be true or false", "GITLAB_MANAGER_SERVICE_ACCOUNT"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not named in: %v", want, err)
		}
	}
}

func TestTheBridgeNeedsAFolderOfCharts(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	if _, err := readSettings(nil, environment(map[string]string{envBridge: "true", envCharts: missing})); err == nil || !strings.Contains(err.Error(), envCharts) {
		t.Errorf("the variable is not named: %v", err)
	}
	if _, err := readSettings(nil, environment(map[string]string{envCharts: missing})); err != nil {
		t.Errorf("without the bridge no chart is needed: %v", err)
	}
}

func TestDefaultsOfAPod(t *testing.T) {
	s, err := readSettings(nil, environment(map[string]string{envNamespace: "operators"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.options.Webhooks.DNSNames[0]; got != "portcullis-webhook.operators.svc" {
		t.Errorf("the webhooks answer to %s", got)
	}
	if s.options.Bridge {
		t.Error("the GitLab kinds are on without being asked for")
	}
	if s.options.RenderWorkers != 2 {
		t.Errorf("%d charts are rendered at once", s.options.RenderWorkers)
	}
}

func TestTheNameOfAServiceAccountMayHaveDots(t *testing.T) {
	if _, err := readSettings(nil, environment(map[string]string{envServiceAccount: "gitlab.manager"})); err != nil {
		t.Errorf("a valid name is refused: %v", err)
	}
}

func TestHelpPrintsTheFlagsAndIsNoFault(t *testing.T) {
	var printed strings.Builder
	if err := run(t.Context(), []string{"--help"}, environment(nil), &printed); err != nil {
		t.Fatalf("asking for help ends with %v", err)
	}
	for _, want := range []string{"-render-workers", "-watch-namespaces", "-zap-log-level"} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("%s is not in the help", want)
		}
	}
	printed.Reset()
	if err := run(t.Context(), []string{"--no-such-flag"}, environment(nil), &printed); err == nil || printed.Len() > 0 {
		t.Errorf("a flag that does not exist ends with %v and prints %q", err, printed.String())
	}
}
