# Sourced by the scripts beside it: the cluster, the charts and the manager they share.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# cluster VERB ... calls the cluster program for the cluster of this script.
cluster() { go run -C test/cluster . "$@" --name "$cluster_name"; }

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

# install_definitions installs the definitions, the Gateway API's included, and the webhooks at the given port.
install_definitions() {
  kubectl apply --server-side -f config/crd/bases >/dev/null
  go run ./test/charts/generate -definitions | kubectl apply --server-side -f - >/dev/null
  kubectl wait --for=condition=Established crd --all --timeout=60s >/dev/null
  go run ./webhooks/generate -url "https://localhost:$1" | kubectl apply --server-side -f - >/dev/null
  kubectl create namespace portcullis-system --dry-run=client -o yaml | kubectl apply -f - >/dev/null
}

# start_manager PORT HEALTH_PORT LOG starts the manager in the background; its process id is in manager_pid.
start_manager() {
  ENABLE_BRIDGE=true HELM_CHARTS=$charts SIPHON_TABLES_LAYOUTS=$layouts bin/manager \
    --webhook-host 127.0.0.1 --webhook-port "$1" --webhook-dns-names localhost \
    --health-probe-bind-address "127.0.0.1:$2" --metrics-bind-address 0 >"$3" 2>&1 &
  manager_pid=$!
  if ! wait_until 120 "the manager to be ready" curl_ok "http://127.0.0.1:$2/readyz"; then
    tail -n 20 "$3" >&2
    return 1
  fi
}

# curl_ok succeeds when the address answers 200. It needs no curl.
curl_ok() {
  local rest=${1#http://} host path port
  host=${rest%%/*} path=/${rest#*/}
  port=${host##*:} host=${host%%:*}
  exec 3<>"/dev/tcp/$host/$port" || return 1
  printf 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$path" "$host" >&3
  local status
  read -r status <&3
  exec 3>&-
  [[ $status == *" 200 "* ]]
}

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
