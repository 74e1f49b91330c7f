#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time, one after the other: go test fuzzes one target at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
each=${1:-1m}

grep -rlE '^func Fuzz' --include='*_test.go' . | sort | while read -r file; do
  package=$(dirname "$file")
  grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | awk '{print $2}' | while read -r target; do
    echo "== $package $target ($each)"
    go test -tags bridge "$package" -run '^$' -fuzz "^$target\$" -fuzztime "$each" -fuzzminimizetime 10x
  done
done
