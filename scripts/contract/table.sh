#!/usr/bin/env bash
# Runs the programs of /docs behind a hostile middle and prints a table, program by condition (make contract, minutes). A program
# whose tool is absent is printed as NOT RUN. TABLE_ONLY has the names of programs, such as "dg.sh start/csv.py".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
chmod a+x "$work" # PostgreSQL runs as another user than root
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
. "$here/lib.sh"

say "the programs of /docs behind a hostile middle"
demo 18961
for tool in bash curl jq python3 node Rscript php psql duckdb; do
	command -v "$tool" >/dev/null && printf '%s: %s\n' "$tool" "$("$tool" --version 2>&1 | head -1)"
done
(cd "$root" && go build -trimpath -o "$work/contract" ./scripts/contract)
export TABLE_RESET="psql -qX -h '$socket' -U dg_owner -d dg -c 'delete from api_key_windows'"
export TABLE_PSQL="host=$socket user=dg_owner dbname=dg options=-csearch_path=warehouse,public"
"$work/contract" "$base" "$key" "$root/web/docs/recipes"
