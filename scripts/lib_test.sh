#!/usr/bin/env bash
# Tests what keeps the scripts from reaching a cluster or a process that is not theirs, and from calling a demo done that
# went wrong. It needs no cluster: a checkout of its own stands beside a kubeconfig of somebody else's, and kubectl and the
# cluster program are played.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(cd "$(mktemp -d)" && pwd -P)
trap 'kill "${bystander:-}" "${manager:-}" 2>/dev/null || true; rm -rf "$work"' EXIT

checkout=$work/checkout
own=$checkout/.cache/cluster/run/test/kubeconfig
mkdir -p "$checkout/scripts" "$checkout/bin" "$checkout/.cache/cluster/run/test" "$work/played"
cp "$here"/*.sh "$checkout/scripts"
touch "$own" "$work/kubeconfig"
cat >"$work/played/go" <<PLAYED
#!/usr/bin/env bash
echo "\$*" >>"$work/go-calls"
printf '%s\n' "\${PLAYED_ENV:-}"
exit "\${PLAYED_EXIT:-0}"
PLAYED
cat >"$work/played/kubectl" <<PLAYED
#!/usr/bin/env bash
echo "\$*" >>"$work/calls"
PLAYED
chmod +x "$work/played"/*
export PATH=$work/played:$PATH KUBECONFIG=$work/kubeconfig

# script LINES runs them as a script that uses lib.sh does.
script() { bash -c "set -euo pipefail; cluster_name=test; source '$checkout/scripts/lib.sh'; $1" >"$work/output" 2>&1; }

failures=0
# it SENTENCE COMMAND ... reports whether the sentence holds.
it() {
  local sentence=$1
  shift
  if ! "$@"; then
    failures=$((failures + 1))
    echo "FAIL: $sentence" >&2
    sed 's/^/    /' "$work/output" >&2
  fi
}
untouched() { [[ ! -e $work/calls ]]; }
stops_before_kubectl() {
  rm -f "$work/calls"
  ! script "$1" && untouched
}

a_cluster_that_is_not_there() { PLAYED_EXIT=1 stops_before_kubectl 'use_cluster; kubectl delete secrets --all'; }
a_cluster_that_says_nothing() { PLAYED_ENV='' stops_before_kubectl 'use_cluster; kubectl delete secrets --all'; }
a_kubeconfig_elsewhere() { PLAYED_ENV="export KUBECONFIG=$work/kubeconfig" stops_before_kubectl 'use_cluster; kubectl delete secrets --all'; }
kubectl_before_use_cluster() { stops_before_kubectl 'kubectl delete secrets --all'; }
the_own_cluster() {
  rm -f "$work/calls"
  PLAYED_ENV="export KUBECONFIG=$own" script "use_cluster; KUBECONFIG=$work/kubeconfig; kubectl get pods" &&
    [[ $(cat "$work/calls") == "--kubeconfig $own get pods" ]]
}
it "the script stops when the cluster's settings cannot be had" a_cluster_that_is_not_there
it "the script stops when the cluster's settings are empty" a_cluster_that_says_nothing
it "the script stops when the settings name a kubeconfig that is not below .cache/cluster/run" a_kubeconfig_elsewhere
it "kubectl is refused before a cluster is chosen" kubectl_before_use_cluster
it "kubectl goes to the script's own cluster, whatever KUBECONFIG says by then" the_own_cluster

a_bystander_lives() {
  sleep 60 &
  bystander=$!
  echo "$bystander" >"$work/pid"
  script "stop_manager '$work/pid'" && kill -0 "$bystander" 2>/dev/null && [[ ! -e $work/pid ]]
}
the_manager_ends() {
  cp "$(command -v sleep)" "$checkout/bin/manager"
  "$checkout/bin/manager" 60 &
  manager=$!
  echo "$manager" >"$work/pid"
  rm "$checkout/bin/manager"
  script "stop_manager '$work/pid'" && ! kill -0 "$manager" 2>/dev/null && [[ ! -e $work/pid ]]
}
a_manager_that_never_answers_ends() {
  cp "$(command -v sleep)" "$checkout/bin/sleep"
  # shellcheck disable=SC2016 # for the program it becomes
  printf '#!/usr/bin/env bash\nmv bin/sleep bin/manager && exec "$PWD/bin/manager" 60\n' >"$checkout/bin/manager"
  chmod +x "$checkout/bin/manager"
  # shellcheck disable=SC2016 # for the script, not for here
  PLAYED_ENV="export KUBECONFIG=$own" script '
    use_cluster; charts=none layouts=none
    curl_ok() { sleep 1; SECONDS=200; return 1; }
    if start_manager 1 2 manager.log manager.pid; then exit 1; fi
    [[ ! -e manager.pid ]] && ! kill -0 "$manager_pid"' && grep -q "did not get ready" "$work/output"
}
it "a process that took over the number of a manager is left alone" a_bystander_lives
it "the manager is ended, also when its program was built anew" the_manager_ends
it "a manager that does not get ready is ended, and its file removed" a_manager_that_never_answers_ends

# demo CASE runs the demo's two ways to call a command.
demo() { script "$(sed -n '/^command_line()/,/^# none/p' "$checkout/scripts/demo.sh")
$1; echo went on"; }
goes_on() { demo "$1" && grep -q "went on" "$work/output"; }
breaks_off() { ! demo "$1" && grep -q "The demo failed" "$work/output"; }
it "the demo goes on after a command that succeeds" goes_on 'show true'
it "the demo breaks off where a command fails" breaks_off 'show false'
it "the demo goes on after a refusal" goes_on 'refused Rule bash -c "echo [RuleViolated]; exit 1"'
it "the demo breaks off where what must be refused is accepted" breaks_off 'refused Rule echo "[RuleViolated]"'
it "the demo breaks off where a command fails for another reason" breaks_off 'refused Rule bash -c "echo connection refused; exit 1"'
prints_as_typed() { demo "show echo -p '{\"a\": 1}'" && grep -qF "$ echo -p '{\"a\": 1}'" "$work/output"; }
it "the demo prints a command as it can be typed" prints_as_typed

# clean runs the script of that name.
clean() { bash "$checkout/scripts/clean.sh" >"$work/output" 2>&1; }
nothing_is_removed() { ! PLAYED_EXIT=1 clean && [[ -f $own ]]; }
every_cluster_is_ended() {
  mkdir -p "$checkout/.cache/cluster/run/another"
  clean && [[ ! -e $checkout/.cache ]] &&
    grep -q -- "down --purge --name another" "$work/go-calls" && grep -q -- "down --purge --name test" "$work/go-calls"
}
it "clean removes nothing where a cluster cannot be ended" nothing_is_removed
it "clean ends every cluster of the checkout, and then removes what was built" every_cluster_is_ended

if ((failures > 0)); then
  echo "scripts: $failures sentences do not hold" >&2
  exit 1
fi
echo "ok  	scripts"
