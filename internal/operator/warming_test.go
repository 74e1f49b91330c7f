//go:build bridge

package operator

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// A replica that is not the leader serves webhooks as soon as it is ready, and is ready only when it is warm.
func TestEveryReplicaWarmsUp(t *testing.T) {
	var warm manager.Runnable = warming{&bridge{}}
	elected, ok := warm.(manager.LeaderElectionRunnable)
	if !ok || elected.NeedLeaderElection() {
		t.Error("the warm-up waits for the leadership, so a second replica never gets ready")
	}
}
