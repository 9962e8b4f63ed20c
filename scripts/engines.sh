#!/usr/bin/env bash
# Runs engines.mjs on the demo's screens, over https, in Firefox ESR and WebKitGTK, Safari's engine (make contract).
# It prints a missing engine as NOT RUN, and stores screenshots in ENGINE_SHOTS, if set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
work=$(mktemp -d)
chmod a+x "$work" # PostgreSQL does not run as root
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
. "$here/contract/lib.sh"

shots=${ENGINE_SHOTS:-$work}
mkdir -p "$shots"
MINIBROWSER=$(find /usr/lib -path '*webkit2gtk*/MiniBrowser' 2>/dev/null | tail -1) || true # find fails if it cannot read a folder
export MINIBROWSER DG_BASE_URL=https://localhost:18992

say "screens in Firefox and WebKit"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
for engine in firefox webkit; do
	if [ $engine = firefox ] && ! command -v firefox-esr >/dev/null || [ $engine = webkit ] && ! { command -v WebKitWebDriver && command -v xvfb-run && [ -n "$MINIBROWSER" ]; } >/dev/null; then
		echo "$engine: NOT RUN, it is not installed"
		continue
	fi
	rm -rf "$work/data"
	demo 18991
	node -e '
		const { createServer } = require("node:https"), http = require("node:http"), fs = require("node:fs");
		const [key, cert] = process.argv.slice(1).map((file) => fs.readFileSync(file));
		createServer({ key, cert }, (q, a) => q.pipe(http.request({ port: 18991, host: "127.0.0.1", path: q.url, method: q.method, headers: q.headers },
			(r) => { a.writeHead(r.statusCode, r.headers); r.pipe(a); }).on("error", () => a.destroy()))).listen(18992, "127.0.0.1");
	' "$work/key.pem" "$work/cert.pem" &
	run=""
	[ $engine = firefox ] || run="xvfb-run -a"
	$run node --experimental-websocket --no-warnings "$here/engines.mjs" $engine $DG_BASE_URL "psql -X -h $socket -U dg_owner -d dg" "$shots"
	kill $(jobs -p)
	wait || true
done
