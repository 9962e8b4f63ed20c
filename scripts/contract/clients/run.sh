#!/usr/bin/env bash
# Checks the API's document (make contract, minutes):
#   - linters: those of make check, and OWASP's rules
#   - the first programs of /docs/clients, by the commands of the page: TypeScript, Python and Go. They call the demo through
#     prism, which validates each request and answer; wait on 429; accept values of a later release; and notice an export
#     that breaks off. A failing command fails the run
#   - constants that clients make of open enums have readable names
# It needs Node 20 and Java 11, and names what it leaves out where Python has no urllib3, dateutil and six.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
document=$root/modules/publicapi/openapi.json
cd "$here"

work=$here/out
. "$here/../lib.sh"

if ! cmp -s package-lock.json node_modules/.installed; then
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	cp package-lock.json node_modules/.installed
fi
bin=$here/node_modules/.bin
rm -rf out && mkdir out
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

say "linters"
"$root/scripts/contract/lint.sh"
"$root/scripts/contract/node_modules/.bin/spectral" lint --ruleset "$root/configs/spectral-owasp.yaml" --fail-severity=hint "$document"

# prism_at PORT UPSTREAM starts prism in front of another port. With --errors prism answers violations with an error.
prism_at() {
	"$bin/prism" proxy "$document" "http://127.0.0.1:$2" --port "$1" "${@:3}" >"out/prism$1.log" 2>&1 &
	awaits grep -q listening "out/prism$1.log"
}

say "the demo, as a later release may answer, judged by prism, and busy"
demo 18931
DG_KEY=$key
export DG_KEY
node between.js 18935 18931 later &
prism_at 18936 18935 --errors
node between.js 18937 18936 busy &

# The packages that pip would download are installed.
pip() { :; }
export -f pip

# first runs the commands and the program of a language as the page shows them.
first() {
	local recipes=$root/web/docs/recipes/clients folder=$here/out/$1
	mkdir "$folder"
	sed 's#https://dg.example.org#http://127.0.0.1:18937#' "$recipes/$1.$2"* >"$folder/first.$2" # go.* is go.go.txt, which keeps the Go program out of this module
	sed 's#https://dg.example.org#http://127.0.0.1:18931#; s#-m venv#& --system-site-packages#' "$recipes/$1.sh" >"$folder/first.sh"
	(cd "$folder" && bash -eu first.sh && mv "$(find . -name plays.csv)" "$folder/whole.csv") >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
	[ "$(grep -oE '[0-9]+ plays' "$folder/log" | head -1)" = "$(($(wc -l <"$folder/whole.csv") - 1)) plays" ] || { cat "$folder/log"; exit 1; }
	for how in reset close; do
		echo $how >out/break
		if (cd "$folder" && eval "$(tail -1 "$folder/first.sh")") >"$folder/$how.log" 2>&1; then
			echo "$1 does not notice a transfer that ends by $how" && exit 1
		fi
		[ -z "$(find "$folder" -name plays.csv)" ]
		rm out/break
	done
	echo "$1: lists, counts, waits on 429, streams, and notices a break"
}

say "first programs"
first typescript ts
if python3 -c 'import urllib3, dateutil, six' 2>/dev/null; then
	first python py
else
	echo "LEFT OUT: Python has no urllib3, dateutil and six"
fi
first go go

say "constants of open enums"
sed 's/"x-extensible-enum"/"enum"/' "$document" >out/closed.json
go tool -modfile="$root/scripts/tools/go.mod" oapi-codegen -generate types -package closed -o out/closed.txt out/closed.json
grep -E 'AccessDenied +ApiErrorCode = "ERR_ACCESS_DENIED"' out/closed.txt
if grep -E 'ERR[A-Z]{3}' out/closed.txt; then exit 1; fi
