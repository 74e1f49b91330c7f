#!/usr/bin/env bash
# Brings up a cluster of its own, installs the definitions, runs the specs that carry the e2e tag, and ends the cluster.
set -euo pipefail
cluster_name=e2e
source "$(dirname "$0")/lib.sh"

trap 'cluster down --purge >&2' EXIT
cluster up
eval "$(cluster env)"
build_programs
install_definitions_only() {
  kubectl apply --server-side -f config/crd/bases >/dev/null
  go run ./test/charts/generate -definitions | kubectl apply --server-side -f - >/dev/null
  kubectl wait --for=condition=Established crd --all --timeout=60s >/dev/null
}
install_definitions_only
HELM_CHARTS=$charts CHART_VERSION=10.4.1 MANAGER=$root/bin/manager go test -tags bridge,e2e -count=1 -p 1 -timeout 30m ./internal/controller/... ./test/e2e/...
