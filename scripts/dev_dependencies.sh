#!/usr/bin/env bash
# Writes what a GitLabCore with external dependencies needs: the Secrets, into the namespace kubectl points at, and
# external-deps-v2alpha1.yaml, a resource wired to them, to apply as it is. Servers are yours to run: name them through
# POSTGRESQL_HOST, REDIS_HOST and S3_ENDPOINT. Passwords that are not given are made up. Existing Secrets are kept.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  echo "usage: $0 setup | teardown" >&2
  echo "  NAMESPACE, POSTGRESQL_HOST, REDIS_HOST, S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY, S3_SECRET_KEY, CHART_VERSION, GITLAB_HOSTNAME" >&2
  exit 2
}

namespace=${NAMESPACE:-gitlab-system}
version=${CHART_VERSION:-$(head -n1 CHART_VERSIONS)}
file=external-deps-v2alpha1.yaml

# secret NAME KEY VALUE makes a Secret unless it is there. The value goes through a file descriptor, not a command line.
secret() {
  if kubectl -n "$namespace" get secret "$1" >/dev/null 2>&1; then
    echo "Secret $1 is there already and is kept"
    return
  fi
  kubectl -n "$namespace" create secret generic "$1" --from-file="$2"=<(printf '%s' "$3") >/dev/null
  echo "Secret $1 created"
}

made_up() { head -c 24 /dev/urandom | base64 | tr -dc 'a-zA-Z0-9'; }

case ${1:-} in
setup)
  kubectl get namespace "$namespace" >/dev/null 2>&1 || kubectl create namespace "$namespace" >/dev/null
  kubectl -n "$namespace" get serviceaccount gitlab-manager >/dev/null 2>&1 ||
    kubectl -n "$namespace" create serviceaccount gitlab-manager >/dev/null
  secret gitlab-postgresql password "${POSTGRESQL_PASSWORD:-$(made_up)}"
  secret gitlab-redis password "${REDIS_PASSWORD:-$(made_up)}"
  secret gitlab-object-storage connection "provider: AWS
region: ${S3_REGION:-us-east-1}
endpoint: ${S3_ENDPOINT:-http://minio.$namespace.svc:9000}
path_style: true
aws_access_key_id: ${S3_ACCESS_KEY:-gitlab}
aws_secret_access_key: ${S3_SECRET_KEY:-$(made_up)}
"
  cat >"$file" <<YAML
apiVersion: apps.gitlab.com/v2alpha1
kind: GitLabCore
metadata:
  name: gitlab
  namespace: $namespace
spec:
  version:
    type: Static
    version: $version
  hostname: ${GITLAB_HOSTNAME:-gitlab.example.com}
  postgresql:
    host: ${POSTGRESQL_HOST:-postgresql.$namespace.svc}
    passwordSecretRef: {name: gitlab-postgresql, key: password}
  redis:
    host: ${REDIS_HOST:-redis.$namespace.svc}
    passwordSecretRef: {name: gitlab-redis, key: password}
  objectStorage:
    connectionSecretRef: {name: gitlab-object-storage, key: connection}
YAML
  echo "$file written: kubectl apply -f $file"
  ;;
teardown)
  kubectl -n "$namespace" delete secret gitlab-postgresql gitlab-redis gitlab-object-storage --ignore-not-found
  rm -f "$file"
  ;;
*) usage ;;
esac
