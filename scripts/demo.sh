#!/usr/bin/env bash
# The main job, end to end: a cluster from nothing, the operator, refused applies, an accepted one becoming Ready with its
# Secrets made first, drift put right, a component pruned, a lost Secret reported, a Siphon and an Orbit beside it, and the
# end. Every command is shown with what it really prints. The demo fails where a command does not end as it must.
set -euo pipefail
# shellcheck disable=SC2034 # read by lib.sh
cluster_name=portcullis
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"
state=.cache/demo
mkdir -p "$state"

if [[ ${1:-} == down ]]; then
  stop_manager "$state/manager.pid"
  cluster down
  exit
fi

title() { printf '\n\033[1m── %s\033[0m\n' "$*"; }
# command_line WORD ... prints a command as it can be typed.
command_line() {
  local word line=""
  for word in "$@"; do
    [[ $word =~ ^[a-zA-Z0-9_./:=,+-]+$ ]] || word="'$word'"
    line+=" $word"
  done
  printf '\033[36m$%s\033[0m\n' "$line"
}
fail() {
  printf '\n\033[31mThe demo failed: %s\033[0m\n' "$*" >&2
  exit 1
}

# show COMMAND ... prints a command and runs it. It must succeed.
show() {
  command_line "$@"
  "$@" 2>&1 || fail "the command above must succeed, and ended with exit code $?: $*"
}

# refused WORD COMMAND ... prints a command and runs it. It must end in a refusal that holds the word: a command that
# fails because nobody answers was not refused.
refused() {
  local word=$1 output
  shift
  command_line "$@"
  if output=$("$@" 2>&1); then
    printf '%s\n' "$output"
    fail "the command above must be refused, and was accepted: $*"
  fi
  printf '%s\n' "$output"
  [[ $output == *"$word"* ]] || fail "the command above must be refused with $word, and failed for another reason: $*"
}

# none KIND [NAME] succeeds when the cluster answers that there is no such object.
none() {
  local left
  left=$(kubectl -n gitlab get "$@" --ignore-not-found -o name) && [[ -z $left ]]
}

# ended leaves nothing running that works on a demo that broke off. The cluster stays, to be looked at.
ended() {
  local status=$?
  if ((status != 0)); then
    stop_manager "$state/manager.pid"
    printf '\nThe demo broke off and its manager does not run; its log is %s. The cluster is left as it is.\n' "$state/manager.log" >&2
    echo "End it: go tool -modfile=tools/task/go.mod task demo:down" >&2
  fi
  exit "$status"
}
trap ended EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

title "A cluster from nothing (the first time builds it, about 20 minutes on two cores)"
cluster up
use_cluster
stop_manager "$state/manager.pid"
build_programs
webhook_port=$(free_port 19443)
health_port=$(free_port 19843)

title "The operator: definitions, webhooks, manager"
install_definitions
install_webhooks "$webhook_port"
start_manager "$webhook_port" "$health_port" "$state/manager.log" "$state/manager.pid"
prepare_namespace gitlab
kubectl -n gitlab delete orbits,siphons,gitlabcores --all --timeout=120s >/dev/null
kubectl -n gitlab delete secrets --all >/dev/null
echo "the manager runs (process ${manager_pid:?}, log $state/manager.log)"

title "A GitLabCore with many faults: one answer, every fault at its field"
show cat scripts/demo/refused.yaml
refused '[SchemaViolation]' kubectl apply -f scripts/demo/refused.yaml

title "The same verdict offline, in a merge request, without a cluster"
refused '[SchemaViolation]' bin/portcullis validate --charts "${charts:?}" scripts/demo/refused.yaml

title "And from a server-side dry run"
refused '[SchemaViolation]' kubectl apply --dry-run=server -f scripts/demo/refused.yaml

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
refused '[VersionDowngrade]' kubectl -n gitlab patch gitlabcore demo --type merge -p '{"spec":{"version":{"version":"10.3.0"}}}'

title "An object deleted by hand comes back"
show kubectl -n gitlab delete deployment demo-webservice-default
wait_until 60 "the Deployment to come back" kubectl -n gitlab get deployment demo-webservice-default
show kubectl -n gitlab get deployment demo-webservice-default

title "A component switched off: its objects are pruned"
show kubectl -n gitlab patch gitlabcore demo --type merge -p '{"spec":{"chart":{"values":{"gitlab":{"gitlab-shell":{"enabled":false}}}}}}'
wait_until 90 "the Deployment to be pruned" none deployment demo-gitlab-shell
show kubectl -n gitlab get deployments

title "A Secret that holds data, deleted by hand: reported, not made again"
ready_is() { [[ $(kubectl -n gitlab get gitlabsecrets demo -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}') == "$1" ]]; }
show kubectl -n gitlab delete secret demo-rails-secret
wait_until 60 "the report" ready_is False
show kubectl -n gitlab get gitlabsecrets demo
show kubectl -n gitlab get gitlabcore demo -o 'jsonpath={.status.phase}: {.status.conditions[?(@.type=="Initialized")].message}{"\n"}'

title "What would be made, and what is left to a person, offline"
kubectl -n gitlab get gitlabsecrets demo -o yaml >"$state/gitlabsecrets.yaml"
# The Secrets go through a pipe: their values are written nowhere.
command_line kubectl -n gitlab get secrets -o yaml
echo "and, with that as its input:"
kubectl -n gitlab get secrets -o yaml |
  refused reported bin/portcullis secrets plan -f "$state/gitlabsecrets.yaml" --existing -

title "Restored from a backup, or forced: with the record gone, fresh values are made"
show kubectl -n gitlab delete gitlabsecrets demo
wait_until 60 "the Secret to be made" kubectl -n gitlab get secret demo-rails-secret
wait_until 60 "the GitLabSecrets to be ready" ready_is True
show kubectl -n gitlab wait --for=condition=Ready gitlabcore/demo --timeout=60s

title "An Orbit with options that are refused: one answer"
refused '[OptionRefused]' kubectl apply -f scripts/demo/refused-orbit.yaml

title "A Siphon and an Orbit beside the instance: the chain of waits resolves by itself"
show kubectl apply -f scripts/demo/addons.yaml
show kubectl -n gitlab get siphons,orbits
show kubectl -n gitlab wait --for=condition=Ready siphon/pipe orbit/graph --timeout=120s
show kubectl -n gitlab get gitlabcores,siphons,orbits
show kubectl -n gitlab get orbit graph -o 'jsonpath={.status.grpcEndpoint}{"\n"}'

title "Deletion"
show kubectl -n gitlab delete orbit,siphon,gitlabcore --all --timeout=90s
wait_until 90 "the workloads to go" none deployments,statefulsets
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
