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
	"$work/mcp/bin/python" "$here/mcp_check.py" "$work/dg_mcp.py" "$base" "$key" "$fork" "$group" "psql -X -h $socket -U dg_owner -d dg" 2>"$work/mcp.err" || { cat "$work/mcp.err"; exit 1; }
fi

warehouse="host=$socket user=postgres dbname=warehouse"
createdb -h "$socket" -U postgres warehouse
revoked=${key%???}abc # wrong secret: the same answer as revoked, 401
flaky() { # flaky PORT: answers 503 five times first
	python3 "$here/flaky.py" "$1" "$base" 5 &
	awaits bash -c ": </dev/tcp/127.0.0.1/$1"
}

say "Looker Studio"
node "$here/looker_check.mjs" "$recipes/looker/dg.looker.gs" "$base" "$key" "$fork" "$group" "$revoked"

say "Power Query"
if (cd "$work" && npm install --silent --no-fund --no-audit @microsoft/powerquery-parser@0.18 >npm.out 2>&1); then
	node "$here/powerquery_check.mjs" "$work/node_modules/@microsoft/powerquery-parser" "$recipes/dg.pq" "$recipes/powerbi/dg.incremental.pq"
else
	echo "Power Query: NOT RUN, could not install its parser"
fi

say "Airbyte"
if environment airbyte 'airbyte-cdk>=7,<8'; then
	flaky 18943
	"$work/airbyte/bin/python" "$here/airbyte_check.py" "$work/airbyte/bin/source-declarative-manifest" "$recipes/airbyte/dg.yaml" \
		"$base" http://127.0.0.1:18943 "$key" "$revoked"
fi

say "dlt"
if environment dlt 'dlt[duckdb,postgres]>=1,<2' duckdb psycopg2-binary; then
	export DESTINATION__POSTGRES__CREDENTIALS="postgresql://postgres:unused@${socket//\//%2F}/warehouse"
	for destination in duckdb postgres; do
		mkdir "$work/$destination"
		sed "s#https://dg.example.org#$base#; s/^START = .*/START = $(date -u +%Y)/" "$recipes/dlt/dg_dlt.py" >"$work/$destination/dg_dlt.py"
		cp "$here/dlt_check.py" "$work/$destination"
		(cd "$work/$destination" && DLT_DATA_DIR=$work/$destination/dlt DG_KEY=$key \
			"$work/dlt/bin/python" dlt_check.py "$base" "$key" "psql -X -h $socket -U dg_owner -d dg" "$destination") >"$work/dlt.out" 2>&1 || { tail -20 "$work/dlt.out"; exit 1; }
		tail -1 "$work/dlt.out"
	done
fi

say "dbt, and other tools on PostgreSQL"
if environment dbt 'dbt-core<1.11' dbt-duckdb dbt-postgres duckdb 'psycopg[binary]'; then # 1.11 and later download a part that is on no registry
	sed "s#https://dg.example.org#$base#; s/^START = .*/START = \"$(date -u +%Y)-01-01\"/" "$recipes/sync.py" >"$work/sync.py"
	(umask 077 && echo "$key" >"$work/key.txt")
	cp -r "$recipes/dbt" "$work/project"
	for destination in duckdb postgres; do
		to=$work/dg.duckdb
		[ $destination = duckdb ] || to=$warehouse
		DG_KEY_FILE=$work/key.txt "$work/dbt/bin/python" "$work/sync.py" --dest $destination --to "$to" >"$work/sync.out" 2>&1 || { tail -5 "$work/sync.out"; exit 1; }
		(cd "$work/project" && DO_NOT_TRACK=1 DG_DUCKDB=$to PGHOST=$socket PGUSER=postgres "$work/dbt/bin/dbt" build --profiles-dir . --target $destination) \
			>"$work/dbt.out" 2>&1 || { tail -30 "$work/dbt.out"; exit 1; }
		"$work/dbt/bin/python" - $destination "$to" <<-'CHECK'
			import sys
			import duckdb
			import psycopg
			db = (duckdb if sys.argv[1] == "duckdb" else psycopg).connect(sys.argv[2])
			one = lambda sql: db.execute(sql).fetchone()
			assert one("select sum(plays) from dg_daily") == one("select count(*) from dg_plays")
			assert one("select sum(players) from dg_passed") == one('select count(distinct ("forkId", "playerKey")) from dg_plays')
			assert one("select sum(attempts) > 0 and min(correct) >= 0 and bool_and(correct <= attempts) from dg_by_skill")[0]
			print(f"dbt on {sys.argv[1]}: five models and their tests on", one("select count(*) from dg_plays")[0], "plays of the nightly sync")
		CHECK
	done
	"$work/dbt/bin/python" "$here/charts_check.py" "$recipes/other/charts.sql" "$warehouse" "$base" "$key"
fi
