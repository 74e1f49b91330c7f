#!/usr/bin/env bash
# Brings up a cluster of its own, installs the definitions, runs the specs that carry the e2e tag, and ends the cluster.
set -euo pipefail
# shellcheck disable=SC2034 # read by lib.sh
cluster_name=e2e
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

trap 'cluster down --purge >&2' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cluster up
use_cluster
build_programs
install_definitions
# What a person deploys is read by a real API server, which keeps none of it.
kubectl create namespace portcullis-system >/dev/null
IMG=registry.example.com:5000/portcullis:1.0 bash scripts/deploy.sh --dry-run=server -o name
HELM_CHARTS=${charts:?} CHART_VERSION=10.4.1 MANAGER=$root/bin/manager go test -tags bridge,e2e -count=1 -p 1 -timeout 30m ./internal/controller/... ./test/e2e/...
