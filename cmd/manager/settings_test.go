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
		[]string{"--concurrency", "0", "--webhook-port", "70000", "--watch-namespaces", "good,Not_Good", "--webhook-cert-dir", "/no/such/folder"},
		environment(map[string]string{envBridge: "perhaps", envServiceAccount: "Not A Name"}))
	if err == nil {
		t.Fatal("the start goes on")
	}
	for _, want := range []string{"--concurrency", "--webhook-port", "Not_Good", "--webhook-cert-dir", "ENABLE_BRIDGE must be true or false", "GITLAB_MANAGER_SERVICE_ACCOUNT"} {
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
}
