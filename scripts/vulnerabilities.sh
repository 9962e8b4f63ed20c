#!/bin/sh
# Fails if the binary links code with a known vulnerability (govulncheck), unless
# configs/vulnerabilities.txt says why it does not affect dg. If the database is unreachable, it says
# so and passes.
#
# Usage: scripts/vulnerabilities.sh BINARY, a binary with symbols.
set -eu
binary=$(realpath "$1")
cd "$(dirname "$0")/.."

out=$(mktemp)
trap 'rm -f "$out"' EXIT
status=0
go tool -modfile=scripts/tools/go.mod govulncheck -mode binary "$binary" >"$out" 2>&1 || status=$?
case $status in
0) exit 0 ;;
3) ;; # govulncheck has found vulnerabilities
*)
  cat "$out" >&2
  grep -Eq 'fetching vulnerabilities:|unrecognized vulndb format' "$out" || exit 1
  echo "NOT CHECKED: the database of vulnerabilities cannot be reached." >&2
  exit 0
  ;;
esac
accepted=$(sed -n 's/^\(GO-[0-9-]*\) ..*/\1/p' configs/vulnerabilities.txt)
found=$(sed -n 's/^Vulnerability #[0-9]*: \(GO-[0-9-]*\)$/\1/p' "$out")
for id in ${found:-unnamed}; do
  echo "$accepted" | grep -qx "$id" && continue
  cat "$out" >&2
  echo "Update what has $id, or say in configs/vulnerabilities.txt why it does no harm." >&2
  exit 1
done
