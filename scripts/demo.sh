#!/usr/bin/env bash
# The main job, end to end: a cluster from nothing, the operator, refused applies, an accepted one becoming Ready with its
# Secrets made first, drift put right, a component pruned, a lost Secret reported, a Siphon and an Orbit beside it, and the
# end. Every command is shown with what it really prints.
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
kubectl -n gitlab delete orbits,siphons,gitlabcores --all >/dev/null
kubectl -n gitlab delete secrets --all >/dev/null
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

title "Its Secrets were there before its first pod: the Operator made them, without a Job"
show kubectl -n gitlab get gitlabsecrets demo
show kubectl -n gitlab get secrets,pods --sort-by=.metadata.creationTimestamp -o custom-columns=KIND:.kind,NAME:.metadata.name,CREATED:.metadata.creationTimestamp

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

title "A Secret that holds data, deleted by hand: reported, not made again"
ready_is() { [[ $(kubectl -n gitlab get gitlabsecrets demo -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}') == "$1" ]]; }
show kubectl -n gitlab delete secret demo-rails-secret
wait_until 60 "the report" ready_is False
show kubectl -n gitlab get gitlabsecrets demo
show kubectl -n gitlab get gitlabcore demo -o 'jsonpath={.status.phase}: {.status.conditions[?(@.type=="Initialized")].message}{"\n"}'

title "What would be made, and what is left to a person, offline"
kubectl -n gitlab get gitlabsecrets demo -o yaml >"$state/gitlabsecrets.yaml"
kubectl -n gitlab get secrets -o yaml >"$state/secrets.yaml"
show bin/portcullis secrets plan -f "$state/gitlabsecrets.yaml" --existing "$state/secrets.yaml"
rm -f "$state/secrets.yaml"

title "Restored from a backup, or forced: with the record gone, fresh values are made"
show kubectl -n gitlab delete gitlabsecrets demo
wait_until 60 "the Secret to be made" kubectl -n gitlab get secret demo-rails-secret
wait_until 60 "the GitLabSecrets to be ready" ready_is True
show kubectl -n gitlab wait --for=condition=Ready gitlabcore/demo --timeout=60s

title "An Orbit with options that are refused: one answer"
show kubectl apply -f scripts/demo/refused-orbit.yaml

title "A Siphon and an Orbit beside the instance: the chain of waits resolves by itself"
show kubectl apply -f scripts/demo/addons.yaml
show kubectl -n gitlab get siphons,orbits
show kubectl -n gitlab wait --for=condition=Ready siphon/pipe orbit/graph --timeout=120s
show kubectl -n gitlab get gitlabcores,siphons,orbits
show kubectl -n gitlab get orbit graph -o 'jsonpath={.status.grpcEndpoint}{"\n"}'

title "Deletion"
show kubectl -n gitlab delete orbit,siphon,gitlabcore --all --timeout=90s
empty() { [[ -z $(kubectl -n gitlab get deployments,statefulsets -o name) ]]; }
wait_until 90 "the workloads to go" empty
show kubectl -n gitlab get deployments,statefulsets
echo "and the Secrets that were made stay:"
show kubectl -n gitlab get secret demo-rails-secret

title "Done. The cluster and the manager still run"
cat <<TEXT
Use it:   eval "\$(go run -C test/cluster . env)"
          kubectl apply -f scripts/demo/gitlab.yaml
          kubectl -n gitlab get gitlabcore -w
Stop it:  go tool -modfile=tools/task/go.mod task demo:down
TEXT
