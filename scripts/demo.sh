#!/usr/bin/env bash
# The main job, end to end: a cluster from nothing, the operator, refused applies, an accepted one becoming Ready, drift
# put right, a component pruned, and the end. Every command is shown with what it really prints.
set -euo pipefail
cluster_name=portcullis
source "$(dirname "$0")/lib.sh"
state=.cache/demo
mkdir -p "$state"

stop_manager() {
  if [[ -f $state/manager.pid ]]; then
    kill "$(cat "$state/manager.pid")" 2>/dev/null || true
    rm -f "$state/manager.pid"
  fi
}

if [[ ${1:-} == down ]]; then
  stop_manager
  cluster down
  exit
fi

title() { printf '\n\033[1m── %s\033[0m\n' "$*"; }
# show COMMAND ... prints a command and runs it; a refusal does not end the demo.
show() {
  printf '\033[36m$ %s\033[0m\n' "$*"
  "$@" 2>&1 || true
}

title "A cluster from nothing (the first time builds it, about 20 minutes on two cores)"
cluster up
eval "$(cluster env)"
stop_manager
build_programs
webhook_port=$(free_port 19443)
health_port=$(free_port 19843)

title "The operator: definitions, webhooks, manager"
install_definitions "$webhook_port"
start_manager "$webhook_port" "$health_port" "$state/manager.log"
echo "$manager_pid" >"$state/manager.pid"
prepare_namespace gitlab
kubectl -n gitlab delete gitlabcore demo --ignore-not-found >/dev/null
echo "the manager runs (process $manager_pid, log $state/manager.log)"

title "A GitLabCore with many faults: one answer, every fault at its field"
show cat scripts/demo/refused.yaml
show kubectl apply -f scripts/demo/refused.yaml

title "The same verdict offline, in a merge request, without a cluster"
show bin/portcullis validate --charts "$charts" scripts/demo/refused.yaml

title "And from a server-side dry run"
show kubectl apply --dry-run=server -f scripts/demo/refused.yaml

title "A right one: rendered, applied, ready"
show kubectl apply -f scripts/demo/gitlab.yaml
show kubectl -n gitlab get gitlabcore demo
show kubectl -n gitlab wait --for=condition=Ready gitlabcore/demo --timeout=180s
show kubectl -n gitlab get gitlabcore demo
show kubectl -n gitlab get deployments,statefulsets,jobs

title "Back to an older version: refused, since GitLab cannot go back"
show kubectl -n gitlab patch gitlabcore demo --type merge -p '{"spec":{"version":{"version":"10.3.0"}}}'

title "An object deleted by hand comes back"
show kubectl -n gitlab delete deployment demo-webservice-default
wait_until 60 "the Deployment to come back" kubectl -n gitlab get deployment demo-webservice-default
show kubectl -n gitlab get deployment demo-webservice-default

title "A component switched off: its objects are pruned"
show kubectl -n gitlab patch gitlabcore demo --type merge -p '{"spec":{"chart":{"values":{"gitlab":{"gitlab-shell":{"enabled":false}}}}}}'
gone() { ! kubectl -n gitlab get deployment demo-gitlab-shell; }
wait_until 90 "the Deployment to be pruned" gone
show kubectl -n gitlab get deployments

title "Deletion"
show kubectl -n gitlab delete gitlabcore demo --timeout=90s
empty() { [[ -z $(kubectl -n gitlab get deployments,statefulsets -o name) ]]; }
wait_until 90 "the workloads to go" empty
show kubectl -n gitlab get deployments,statefulsets

title "Done. The cluster and the manager still run"
cat <<TEXT
Use it:   eval "\$(go run -C test/cluster . env)"
          kubectl apply -f scripts/demo/gitlab.yaml
          kubectl -n gitlab get gitlabcore -w
Stop it:  go tool -modfile=tools/task/go.mod task demo:down
TEXT
