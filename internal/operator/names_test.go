//go:build bridge

package operator

import (
	"os"
	"strings"
	"testing"

	"github.com/portcullis-operator/portcullis/webhooks"
)

// A verb that is bound to a name is worth nothing when the manager goes by another one.
func TestTheRoleNamesWhatTheManagerCallsItsOwn(t *testing.T) {
	role, err := os.ReadFile("../../config/rbac/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{leaseName, authoritySecret, webhooks.ConfigurationName} {
		if !strings.Contains(string(role), "  resourceNames:\n  - "+name+"\n") {
			t.Errorf("no rule is bound to %s", name)
		}
	}
}
