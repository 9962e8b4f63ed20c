# Runs check, discover and read of the Airbyte manifest with Airbyte's CDK: read must agree with the API in each row and figure.
# It also tries a service that comes back, a cut export, a refused key and a sign-in page.
# run.sh runs it: python airbyte_check.py CDK MANIFEST BASE FLAKY KEY REVOKED
import csv
import datetime as dt
import http.server
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

cdk, manifest, base, flaky, key, revoked = sys.argv[1:]
work = tempfile.mkdtemp()
today = dt.datetime.now(dt.timezone.utc).date()
TYPES = {"releaseNumber": int, "durationSeconds": int, "completed": "true".__eq__, "scorePercent": float, "passed": "true".__eq__}


def api(path):
    request = urllib.request.Request(base + "/api/v1/forks" + path, headers={"Authorization": "Bearer " + key})
    for _ in range(8):
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            if error.code != 429:
                raise
            time.sleep(int(error.headers["Retry-After"]))


def run(command, url, secret, *more):
    with open(os.path.join(work, "config.json"), "w") as file:
        json.dump({"url": url, "key": secret, "first_year": today.year - 1}, file)
    done = subprocess.run([cdk, command, "--config", file.name, "--manifest-path", manifest, *more], capture_output=True, text=True)
    return done, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def check(url, secret):
    return [m["connectionStatus"] for m in run("check", url, secret)[1] if m["type"] == "CONNECTION_STATUS"][-1:]


pasted = "\ufeff " + key + "\r\n"
assert check(base, pasted)[0]["status"] == "SUCCEEDED"
for wrong in ("\ufeff " + revoked + "\r\n", pasted[:-4], "x" + key[3:] + "\r\n"):
    refused = run("check", base, wrong)[0].stdout
    assert '"FAILED"' in refused and key[-20:-4] not in refused, refused
refused = check(base, revoked)
assert refused and refused[0]["status"] == "FAILED" and revoked not in str(refused), refused
plain = check("http://dg.example.org", key)
assert plain[0]["status"] == "FAILED" and "does not match" in plain[0]["message"] and key not in str(plain), plain
catalog = [m for m in run("discover", base, key)[1] if m["type"] == "CATALOG"][0]["catalog"]["streams"]
assert all(stream["supported_sync_modes"] == ["full_refresh"] for stream in catalog), catalog
configured = os.path.join(work, "catalog.json")
with open(configured, "w") as file:
    json.dump({"streams": [{"stream": s, "sync_mode": "full_refresh", "destination_sync_mode": "overwrite"} for s in catalog]}, file)


def read(url, secret):
    done, messages = run("read", url, secret, "--catalog", configured)
    records = [m["record"] for m in messages if m["type"] == "RECORD"]
    return done.returncode, {name: [r["data"] for r in records if r["stream"] == name] for name in ("forks", "daily", "plays")}


forks = json.loads(api(""))["items"]
want_plays, want_daily = [], []
for fork in forks:
    for year in (today.year - 1, today.year):
        period = f"?from={year}-01-01&to={min(today, dt.date(year, 12, 31))}"
        want_daily += [{**day, "forkId": fork["id"], "avgScorePercent": day["avgScorePercent"] if day["plays"] else None} for day in json.loads(api(f"/{fork['id']}/stats{period}"))["daily"]]
        rows = csv.DictReader(io.StringIO(api(f"/{fork['id']}/exports/csv{period}"), newline=""))
        want_plays += [{name: TYPES.get(name, str)(value) if value else None for name, value in row.items()} for row in rows]
order = lambda rows: sorted(rows, key=str)
filled = lambda rows: [{name: value for name, value in row.items() if value is not None} for row in rows]  # Airbyte sends no nulls
for url in (base, flaky):
    status, got = read(url, key)
    assert status == 0 and order(got["forks"]) == order(filled(forks)), (status, url)
    assert order(filled(got["plays"])) == order(filled(want_plays)), (url, len(got["plays"]), len(want_plays))
    days = lambda rows: sorted((d["forkId"], d["date"], d["plays"], d.get("avgScorePercent") is None or float(d["avgScorePercent"])) for d in rows)
    assert days(got["daily"]) == days(want_daily), url
status, got = read(base, revoked)
assert status != 0 and not any(got.values()), status


class Between(http.server.BaseHTTPRequestHandler):
    """Passes requests on, until it answers some of them with a page, or cuts exports and closes."""
    page, cut, wait = "", 0, []

    def do_GET(self):
        if self.wait:
            self.send_response(429)
            self.send_header("Retry-After", self.wait.pop())
            self.end_headers()
            return
        export = "/csv" in self.path
        shown = self.page and (export or "exports" not in self.page)
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if shown else "text/csv" if export else "application/json")
        self.end_headers()
        body = self.page if shown else api(self.path.removeprefix("/api/v1/forks"))
        self.wfile.write(body.encode()[:self.cut if export and self.cut else None])

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Between)
threading.Thread(target=server.serve_forever, daemon=True).start()
between = f"http://127.0.0.1:{server.server_port}"
Between.page = "<form>Sign in</form>"
assert "sign-in page" in check(between, key)[0]["message"]
status, got = read(between, key)
assert status != 0 and not any(got.values()), status
Between.page = "<p>exports\n</p>\n"
assert read(between, key)[0] != 0
Between.page, Between.cut = "", 5000
status, got = read(between, key)  # if the status is 0, the comparison that the page advises must find the loss
assert status != 0 or len(got["plays"]) != sum(day["plays"] for day in got["daily"])
began, Between.wait = time.monotonic(), ["-1", "99999999"]
assert check(between, key)[0]["status"] == "SUCCEEDED" and 10 <= time.monotonic() - began < 120
print(f"Airbyte: check, discover, read; {len(want_plays)} plays and {len(want_daily)} days equal to the API's, also after a service "
      "that came back; a refused key and a page end the sync")
