#!/usr/bin/env bash
# Runs what /docs/recipes offers for tools, in the real tools, against the demo (make contract-tools, minutes). Each tool has an
# environment of its own, from PyPI or npm. What could not be installed is printed as NOT RUN, never as passed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
recipes=$root/web/docs/recipes
work=$(mktemp -d)
chmod a+x "$work" # PostgreSQL runs as another user than root
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT

. "$here/../lib.sh"

say "the demo"
demo 18941
fork=$(sed -n 's/.*"exampleFork": *"\(.*\)".*/\1/p' "$here/demo.json")
group=$(sed -n 's/.*"hiddenGroup": *"\(.*\)".*/\1/p' "$here/demo.json")

# environment NAME PACKAGE... makes a virtual environment, or says that the tool was not run.
environment() {
	local name=$1
	shift
	python3 -m venv "$work/$name" && "$work/$name/bin/pip" install -q --disable-pip-version-check "$@" >"$work/$name.pip" 2>&1 || {
		echo "$name: NOT RUN, could not install $*"
		return 1
	}
	"$work/$name/bin/pip" list --format freeze 2>/dev/null | grep -iE "^${1%%[[<>=]*}==" || true
}

say "MCP"
if environment mcp 'mcp>=2,<3'; then
	sed "s#https://dg.example.org#$base#" "$recipes/mcp/dg_mcp.py" >"$work/dg_mcp.py"
	"$work/mcp/bin/python" "$here/mcp_check.py" "$work/dg_mcp.py" "$base" "$key" "$fork" "$group" 2>"$work/mcp.err" || { cat "$work/mcp.err"; exit 1; }
fi

say "dlt"
if environment dlt 'dlt[duckdb,postgres]>=1,<2' duckdb psycopg2-binary; then
	mkdir "$work/nights"
	sed "s#https://dg.example.org#$base#; s/^START = .*/START = $(date -u +%Y)/" "$recipes/dlt/dg_dlt.py" >"$work/nights/dg_dlt.py"
	cp "$here/dlt_check.py" "$work/nights"
	(cd "$work/nights" && DLT_DATA_DIR=$work/nights/dlt DG_KEY=$key "$work/dlt/bin/python" dlt_check.py "$base" "$key" \
		"psql -h $socket -U dg_owner -d dg" duckdb) >"$work/dlt.out" 2>&1 || { tail -20 "$work/dlt.out"; exit 1; }
	tail -1 "$work/dlt.out"
fi

say "dbt"
if environment dbt 'dbt-core<1.11' dbt-duckdb duckdb; then # 1.11 and later download a part that is on no registry
	sed "s#https://dg.example.org#$base#; s/^START = .*/START = \"$(date -u +%Y)-01-01\"/" "$recipes/sync.py" >"$work/sync.py"
	(umask 077 && echo "$key" >"$work/key.txt")
	DG_KEY_FILE=$work/key.txt "$work/dbt/bin/python" "$work/sync.py" --dest duckdb --to "$work/dg.duckdb" >"$work/sync.out" 2>&1 || { tail -5 "$work/sync.out"; exit 1; }
	cp -r "$recipes/dbt" "$work/project"
	(cd "$work/project" && DO_NOT_TRACK=1 DG_DUCKDB=$work/dg.duckdb "$work/dbt/bin/dbt" build --profiles-dir .) >"$work/dbt.out" 2>&1 || { tail -30 "$work/dbt.out"; exit 1; }
	"$work/dbt/bin/python" - "$work/dg.duckdb" <<-'CHECK'
		import sys
		import duckdb
		db = duckdb.connect(sys.argv[1])
		one = lambda sql: db.execute(sql).fetchone()
		assert one("select sum(plays) from dg_daily") == one("select count(*) from dg_plays")
		assert one("select sum(players) from dg_passed") == one('select count(distinct ("forkId", "playerKey")) from dg_plays')
		assert one("select sum(attempts) > 0 and min(correct) >= 0 and bool_and(correct <= attempts) from dg_by_skill")[0]
		print("dbt: five models and their tests on", one("select count(*) from dg_plays")[0], "plays of the nightly sync")
	CHECK
fi
