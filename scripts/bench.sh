#!/usr/bin/env bash
# Prints the ratios of docs/speed.md. Each compares two things in one run on this machine; the absolute times mean little.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "== row 1: warm schema check against the Helm SDK's own"
go test -tags bridge ./internal/schema -run '^$' -bench SchemaCheck -benchtime 2s
echo "== row 2: a full admission without render against an empty handler in the same server, 50 at once"
go test -tags bridge ./webhooks -run '^$' -bench 'Admission$' -benchtime 20x
echo "== row 3: a full admission with its render against what helm template does inside; CHART names a published archive to add"
go test -tags bridge ./webhooks -run '^$' -bench WithRender -benchtime 5x -args ${CHART:+-real-chart "$CHART"}
echo "== row 4: an unchanged pass against the first pass of the same resource"
KUBEBUILDER_ASSETS="$(go run -C test/cluster . assets)"
export KUBEBUILDER_ASSETS
go test -tags bridge ./test/envtest/gitlabcore -run '^$' -bench UnchangedPass -benchtime 20x
echo "== the keys of a full GitLabSecrets against openssl and ssh-keygen making the same ones"
go test ./internal/secretgen/recipe -run '^$' -bench FullManifest -benchtime 5x
