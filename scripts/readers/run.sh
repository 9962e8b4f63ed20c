#!/bin/sh
# Reads exports with common tools, and compares rows, sums and empty cells: scripts/readers/run.sh FILE.csv…
# pandas is the reference. A tool that is not installed is skipped with a word; papaparse and DuckDB come from npm (NODE_PATH).
set -eu
cd "$(dirname "$0")/../.."
here=$PWD/scripts/readers
for file in "$@"; do
	want=$(/usr/bin/python3 "$here/pandas_sums.py" "$file")
	echo "$file: $want"
	check() { # NAME LINE
		[ "$2" = "$want" ] && echo "  $1 agrees" || { echo "  $1 differs: $2"; exit 1; }
	}
	if command -v Rscript >/dev/null; then check readr "$(Rscript "$here/readr_sums.R" "$file")"; else echo "  readr: not installed"; fi
	if command -v csvsql >/dev/null; then check csvkit "$(/usr/bin/python3 "$here/agate_sums.py" "$file")"; else echo "  csvkit: not installed"; fi
	for tool in papaparse duckdb; do
		if node -e "require('$([ $tool = duckdb ] && echo @duckdb/node-api || echo papaparse)')" 2>/dev/null; then
			check $tool "$(node "$here/$tool.cjs" "$file")"
		else echo "  $tool: not installed"; fi
	done
	if [ -n "${DATABASE_URL:-}" ]; then
		check COPY "$(psql -qAtF ' ' "$DATABASE_URL" -f "$here/copy.sql" <"$file")"
	else echo "  COPY: no DATABASE_URL"; fi
done
