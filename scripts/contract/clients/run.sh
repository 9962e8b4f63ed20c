#!/usr/bin/env bash
# Checks the API's document (make contract, minutes):
#   - linters: those of make check, and OWASP's rules
#   - no change breaks clients of the last release, except those in released/decided.txt
#   - generated clients compile, and call the demo through prism, which validates each request and answer: openapi-typescript
#     with openapi-fetch, orval, openapi-generator's Python and C#; oapi-codegen's Go compiles; and newman the Postman collection. They accept enum values
#     of a later release
#   - the tests of the API: prism judges their exchanges, and 700 random ones
# It needs Node 20 and Java 11. It names and skips other missing tools: Python with urllib3, dateutil and six; mypy; Mono.
# openapi-generator is of 2020: the package of later versions has no program in it, and downloads one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
document=$root/modules/publicapi/openapi.json
released=$root/modules/publicapi/released
cd "$here"

say() { printf '\n== %s\n' "$1"; }
has() { command -v "$1" >/dev/null || { echo "LEFT OUT: there is no $1"; return 1; }; }

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

say "compatible with the last release"
cd "$root"
last=$(ls "$released"/v* | sort -V | tail -1)
go tool -modfile=scripts/tools/go.mod oasdiff breaking --flatten-params --flatten-allof --fail-on ERR \
	--err-ignore "$released/decided.txt" "$last" "$document" >"$here/out/oasdiff.log" || { cat "$here/out/oasdiff.log"; exit 1; }
cd "$here"

say "clients generate and compile"
generate() { java -jar node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar generate -g "$1" -i "$document" -o "out/$1" >"out/$1.log" 2>&1 || { cat "out/$1.log"; exit 1; }; }
"$bin/openapi-typescript" "$document" -o out/openapi.d.ts
"$bin/orval" --input "$document" --output out/orval.ts --client fetch
"$bin/tsc" --strict --target es2022 --module nodenext --moduleResolution nodenext --lib es2022,dom --outDir js client.ts
mkdir out/go
go tool -modfile="$root/scripts/tools/go.mod" oapi-codegen -generate types,client -package client -o out/go/client.go "$document"
(cd out/go && go mod init client && go mod tidy && go vet .) >out/go.log 2>&1 || { cat out/go.log; exit 1; }
generate python
python3 -m compileall -q out/python/openapi_client
# What is the same in every client of this generator is not ours: an integer of Python 2, and untyped empty tables.
if has mypy; then
	(cd out/python && mypy --ignore-missing-imports --follow-imports=silent --disable-error-code import --disable-error-code var-annotated \
		openapi_client/api openapi_client/models)
fi
generate csharp
if has mcs; then
	mcs -nowarn:472 -out:out/client.exe -r:/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll -r:System.ComponentModel.DataAnnotations \
		-r:System.Runtime.Serialization $(find out/csharp/src/Org.OpenAPITools -name '*.cs') client.cs restsharp.cs
fi

# prism_at listens on a port before an address; with --errors it answers violations with an error of its own.
prism_at() {
	"$bin/prism" proxy "$document" "http://127.0.0.1:$2" --port "$1" "${@:3}" >"out/prism$1.log" 2>&1 &
	until grep -q listening "out/prism$1.log"; do kill -0 $! && sleep 0.2; done
}

say "clients call the demo through prism"
(cd "$root" && go build -trimpath -o "$here/out/dg" ./app)
out/dg serve --demo --data-dir "$here/out/demo" --addr 127.0.0.1:18931 --ops-addr 127.0.0.1:18930 >out/dg.log 2>out/dg.err &
until grep -q curl out/dg.log; do kill -0 $! && sleep 0.2; done
prism_at 18932 18931 --errors
DG_KEY=$(grep -oE 'dg_live_[0-9A-Za-z]+_[0-9A-Za-z]+' out/dg.log | head -1)
export DG_KEY
# call runs the clients on the demo at a port.
call() {
	export DG_URL=http://127.0.0.1:$1 DG_NOT_FOUND=$2
	node js/client.js && echo "openapi-fetch and orval: all answers as typed"
	if PYTHONPATH=out/python python3 -c 'import urllib3, dateutil, six' 2>/dev/null; then
		PYTHONPATH=out/python python3 client.py && echo "Python: all answers as typed"
	else
		echo "LEFT OUT: Python has no urllib3, dateutil and six"
	fi
	if has mono; then mono out/client.exe && echo "C#: all answers as typed"; fi
}
call 18932 ERR_NOT_FOUND
"$bin/newman" run "$root/modules/publicapi/postman.json" --env-var "baseUrl=$DG_URL" --env-var "key=$DG_KEY"

say "clients accept values that a later release may add"
node unknown.js 18935 18931 &
prism_at 18936 18935 --errors
call 18936 ERR_LATER

say "the tests of the API, judged by prism"
prism_at 18933 18934
(cd "$root" && DG_PRISM=http://127.0.0.1:18933 DG_PRISM_UPSTREAM=127.0.0.1:18934 go test -count=1 ./modules/publicapi)
echo "$(grep -c 'Request received' out/prism18933.log) exchanges, 0 violations"
