#!/usr/bin/env bash
# Runs the programs of /docs behind a hostile proxy and prints a table, program by condition (make contract, minutes). A program
# whose tool is absent is printed as NOT RUN. Those in Python run with Debian's packages and with the newest of PyPI; those of
# generated clients after clients/run.sh has made them. TABLE_ONLY has names of rows, such as "dg.sh,sync.py duckdb".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
chmod a+x "$work" # PostgreSQL runs as another user than root
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
. "$here/lib.sh"

say "the programs of /docs behind a hostile proxy"
demo 18961
psql -qX -v ON_ERROR_STOP=1 -v secret="${key##*_}" -h "$socket" -U dg_owner -d dg -f "$here/table.sql"
modules='requests|pandas|matplotlib|duckdb|psycopg|urllib3'
TABLE_PYTHONS=""
if [ -x /usr/bin/python3 ] && [ -e /etc/debian_version ]; then
	TABLE_PYTHONS="debian=/usr/bin"
	printf 'Debian, %s: %s\n' "$(/usr/bin/python3 --version)" "$(dpkg-query -W -f '${Package} ${Version}  ' 'python3-*' 2>/dev/null | grep -oE "python3-($modules) [^ ]+" | tr '\n' ' ')"
fi
if python3 -m venv "$work/newest" && "$work/newest/bin/pip" install -q --disable-pip-version-check requests pandas matplotlib duckdb duckdb-cli 'psycopg[binary]' urllib3 python-dateutil six >"$work/pip.log" 2>&1; then
	TABLE_PYTHONS="$TABLE_PYTHONS newest=$work/newest/bin"
	printf 'PyPI, %s: %s\n' "$("$work/newest/bin/python3" --version)" "$("$work/newest/bin/pip" list --format freeze 2>/dev/null | grep -E "^($modules)" | tr '\n' ' ')"
	mkdir "$work/bin" && ln -s "$work/newest/bin/duckdb" "$work/bin" && PATH=$PATH:$work/bin
else
	echo "NOT RUN with PyPI's newest, which could not be installed"
fi
for tool in bash curl jq python3 node Rscript php psql duckdb; do
	command -v "$tool" >/dev/null && printf '%s: %s\n' "$tool" "$("$tool" --version 2>&1 | head -1)"
done
mkdir "$work/locales"
if localedef -i de_DE -f ISO-8859-1 "$work/locales/de_DE.ISO-8859-1" && localedef -i de_DE -f CP1252 "$work/locales/de_DE.CP1252"; then
	export LOCPATH=$work/locales
else
	echo "NOT RUN in other locales, which localedef could not make"
fi 2>/dev/null
(cd "$root" && go build -trimpath -o "$work/contract" ./scripts/contract)
export TABLE_PYTHONS TABLE_CLIENTS=$here/clients/out GOFLAGS="-mod=mod -trimpath" GOCACHE GOPATH
GOCACHE=$(go env GOCACHE) GOPATH=$(go env GOPATH)
export TABLE_RESET="psql -qX -h '$socket' -U dg_owner -d dg -c 'delete from api_key_windows'"
export TABLE_PSQL="host=$socket user=dg_owner dbname=dg options=-csearch_path=warehouse,public"
"$work/contract" "$base" "$key" "$root/web/docs/recipes"
printf "%d seconds\n" "$SECONDS"
