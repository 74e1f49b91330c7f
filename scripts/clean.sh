#!/usr/bin/env bash
# Ends what runs out of this checkout (the demo's manager, every cluster) and then removes what was built and cached. What
# cannot be ended keeps its files.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"

stop_manager .cache/demo/manager.pid
for folder in .cache/cluster/run/*/; do
  [[ -d $folder ]] || continue
  # shellcheck disable=SC2034 # read by lib.sh
  cluster_name=$(basename "$folder")
  cluster down --purge
done
rm -rf .cache bin
