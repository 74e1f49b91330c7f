#!/usr/bin/env bash
# Deploys config/default, with the image IMG names, to the cluster kubectl points at. The image goes into an overlay below
# .cache, so that no file of the repository is edited. Arguments, such as --dry-run=server, go to kubectl apply.
set -euo pipefail
cd "$(dirname "$0")/.."

image=${IMG:-portcullis:latest}
kubectl=${KUBECTL:-kubectl}
if [[ ! $image =~ ^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$ ]]; then
  echo "IMG must be the name of an image, such as registry.example.com/portcullis:1.0, and is \"$image\"" >&2
  exit 2
fi

# A colon in the last part of the name starts the tag; one before it belongs to the port of the registry.
name=$image pin=""
if [[ $image == *@* ]]; then
  name=${image%%@*} pin="digest: \"${image#*@}\""
elif [[ ${image##*/} == *:* ]]; then
  name=${image%:*} pin="newTag: \"${image##*:}\""
fi
mkdir -p .cache/deploy
cat >.cache/deploy/kustomization.yaml <<YAML
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../../config/default
images:
  - name: portcullis
    newName: "$name"
    ${pin:-newTag: latest}
YAML

exec "$kubectl" apply --server-side -k .cache/deploy "$@"
