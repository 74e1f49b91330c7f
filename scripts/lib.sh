# shellcheck shell=bash
# Sourced by the scripts beside it, which say in cluster_name which cluster is theirs: the cluster, the charts and the
# manager they share.

# The folder by its own name, without symbolic links: it is compared with what the system says of processes and files.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root" || exit

# cluster VERB ... calls the cluster program for the cluster of this script.
cluster() { go run -C test/cluster . "$@" --name "${cluster_name:?}"; }

# use_cluster points kubectl, and every program started after it, at the cluster of this script. The assignment stands
# by itself: within eval "$(...)" a failure would go unnoticed, and what follows would go to the cluster the person
# happened to work with.
use_cluster() {
  local settings
  settings=$(cluster env) || return
  eval "$settings"
  own_kubeconfig || return
  cluster_config=$KUBECONFIG
}

# own_kubeconfig succeeds when KUBECONFIG is the file that test/cluster wrote for the cluster of this script.
own_kubeconfig() {
  local want=$root/.cache/cluster/run/${cluster_name:?} found=${KUBECONFIG:-}
  if [[ -f $found && $(basename "$found") == kubeconfig && $(cd "$(dirname "$found")" && pwd -P) == "$(cd "$want" && pwd -P)" ]]; then
    return
  fi
  echo "refused: KUBECONFIG must be $want/kubeconfig, the cluster of this script, and is ${found:-not set}. Nothing was changed." >&2
  return 1
}

# kubectl talks to the cluster of use_cluster and to no other, whatever the environment says by then.
kubectl() {
  command kubectl --kubeconfig "${cluster_config:?refused: kubectl is used before use_cluster, it would reach another cluster}" "$@"
}

# free_port prints a port of 127.0.0.1 nobody listens on.
free_port() {
  local port
  for port in $(seq "${1:-19443}" "$((${1:-19443} + 400))"); do
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
  done
  echo "no free port between ${1:-19443} and $((${1:-19443} + 400))" >&2
  return 1
}

# wait_until SECONDS WHAT COMMAND ... runs the command until it succeeds.
wait_until() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS > deadline)); then
      echo "gave up waiting for $what" >&2
      return 1
    fi
    sleep 0.5
  done
}

# build_programs builds the manager and the offline command, and writes the charts the tests use.
build_programs() {
  echo "building the manager and the offline command (a few minutes the first time) ..." >&2
  go build -tags bridge -o bin/manager ./cmd/manager
  go build -tags bridge -o bin/portcullis ./cmd/portcullis
  charts=$root/.cache/charts
  rm -rf "$charts"
  layouts=$root/.cache/layouts
  rm -rf "$layouts"
  local chart
  for chart in gitlab siphon orbit; do
    go run ./test/charts/generate -chart "$chart" -o "$charts" >&2
  done
  go run ./test/charts/generate -tables -o "$layouts" >&2
}

# install_definitions installs the definitions, the Gateway API's included.
install_definitions() {
  kubectl apply --server-side -f config/crd/bases >/dev/null
  go run ./test/charts/generate -definitions | kubectl apply --server-side -f - >/dev/null
  kubectl wait --for=condition=Established crd --all --timeout=60s >/dev/null
}

# install_webhooks PORT registers the webhooks of a manager that listens on that port of this machine.
install_webhooks() {
  go run ./webhooks/generate -url "https://localhost:$1" | kubectl apply --server-side -f - >/dev/null
  kubectl create namespace portcullis-system --dry-run=client -o yaml | kubectl apply -f - >/dev/null
}

# start_manager PORT HEALTH_PORT LOG PIDFILE starts the manager in the background and returns when it is ready. Its
# process id is in manager_pid, and in the file from the first moment on. One that does not get ready is ended.
start_manager() {
  KUBECONFIG=${cluster_config:?} ENABLE_BRIDGE=true HELM_CHARTS=$charts SIPHON_TABLES_LAYOUTS=$layouts "$root/bin/manager" \
    --webhook-host 127.0.0.1 --webhook-port "$1" --webhook-dns-names localhost \
    --health-probe-bind-address "127.0.0.1:$2" --metrics-bind-address 0 >"$3" 2>&1 &
  manager_pid=$!
  echo "$manager_pid" >"$4"
  local deadline=$((SECONDS + 120))
  until curl_ok "http://127.0.0.1:$2/readyz" 2>/dev/null; do
    if ! kill -0 "$manager_pid" 2>/dev/null || ((SECONDS > deadline)); then
      tail -n 20 "$3" >&2
      echo "the manager did not get ready; the lines above are the end of its log, $3" >&2
      stop_manager "$4"
      return 1
    fi
    sleep 0.5
  done
}

# stop_manager PIDFILE ends the manager the file names and waits until it is gone. A process that took over the number
# of a manager that is long gone is left alone.
stop_manager() {
  [[ -f $1 ]] || return 0
  local pid deadline=$((SECONDS + 20))
  pid=$(cat "$1")
  if [[ $pid =~ ^[0-9]+$ ]] && is_manager "$pid"; then
    kill "$pid" 2>/dev/null || true
    while is_manager "$pid"; do
      if ((SECONDS > deadline)); then
        echo "the manager (process $pid) did not end within 20 s of being asked to; it is killed" >&2
        kill -KILL "$pid" 2>/dev/null || true
        break
      fi
      sleep 0.2
    done
  fi
  rm -f "$1"
}

# is_manager PID succeeds when the process runs this checkout's bin/manager, also one that was built anew meanwhile.
is_manager() {
  local program
  if [[ -e /proc/self/exe ]]; then
    program=$(readlink "/proc/$1/exe" 2>/dev/null) || return 1
    [[ ${program% (deleted)} == "$root/bin/manager" ]]
  else
    program=$(ps -o command= -p "$1" 2>/dev/null) || return 1
    [[ $program == "$root/bin/manager "* ]]
  fi
}

# curl_ok succeeds when the address of this machine answers 200 within two seconds. It needs no curl. It is a process of
# its own, so that a server that hangs up ends nothing but it.
curl_ok() (
  rest=${1#http://}
  host=${rest%%/*} path=/${rest#*/}
  port=${host##*:} host=${host%%:*}
  exec 3<>"/dev/tcp/$host/$port" || exit 1
  printf 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$path" "$host" >&3 || exit 1
  read -r -t 2 status <&3 || exit 1
  [[ $status == *" 200 "* ]]
)

# prepare_namespace NAME makes a namespace a release can run in: the ServiceAccount of the secrets Job, and a volume.
prepare_namespace() {
  kubectl create namespace "$1" --dry-run=client -o yaml | kubectl apply -f - >/dev/null
  kubectl -n "$1" create serviceaccount gitlab-manager --dry-run=client -o yaml | kubectl apply -f - >/dev/null
  kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: PersistentVolume
metadata: {name: $1-gitaly}
spec:
  capacity: {storage: 10Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Delete
  hostPath: {path: /tmp/simulated}
  claimRef: {namespace: $1, name: ${2:-repo-data-demo-gitaly-0}}
YAML
}
