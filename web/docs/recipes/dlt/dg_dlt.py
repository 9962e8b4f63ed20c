# A dlt source: forks, and every play since START, in months that are replaced when they differ. Run it every night.
# Needs: python3 -m venv venv && venv/bin/pip install "dlt[duckdb]" requests. Before: export DG_KEY. Run: venv/bin/python3 dg_dlt.py
# A copy is of one organisation. Its state says what was read. After rows or the table were deleted, or for the types of a copy
# that has numbers as text, run once: pipeline.run(dg(), refresh="drop_sources").
import calendar
import collections
import csv
import datetime as dt
import email.utils
import io
import os
import re
import time

import dlt
import requests

URL = "https://dg.example.org"
START = int("2024-01-01"[:4])  # the first year of the copy
HEADER = ("playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,completedAt,durationSeconds,completed,"
          "scorePercent,passed,skills")

if not re.match(r"https://|http://(localhost|127\.0\.0\.1|\[::1])(:[0-9]+)?(/|$)", URL):
    raise SystemExit("URL must begin with https://")
KEY = os.environ.get("DG_KEY", "").strip("\ufeff \t\r\n")
if not re.fullmatch(r"dg_live_[0-9A-Za-z]+_[0-9A-Za-z]+", KEY):
    raise SystemExit("DG_KEY is not a key: dg_live_<id>_<secret>, one line without quotes.")


os.umask(0o077)  # the files hold names
dlt.config["load.delete_completed_jobs"] = True  # dlt keeps what it has loaded, with erased players


def after(text):
    """Returns the seconds of Retry-After: a number, or until a date within an hour. Anything else means five."""
    if re.fullmatch(r"\d{1,4}(\.\d+)?", text):
        return float(text)
    date = email.utils.parsedate_tz(text)
    seconds = email.utils.mktime_tz(date) - time.time() if date and date[0] < 9000 else -1
    return seconds if 0 <= seconds <= 3600 else 5


def ask(method, path, **period):
    for attempt in range(8):
        try:
            answer = requests.request(method, f"{URL}/api/v1/forks{path}", params=period, timeout=(10, 60), allow_redirects=False, proxies={"http": ""},
                                      auth=lambda r: (r.headers.update(Authorization="Bearer " + KEY), r)[1])  # replaces the credentials of .netrc
        except requests.RequestException:  # no connection, or it was lost
            if attempt == 7:
                raise
            time.sleep(2 ** attempt)
            continue
        if attempt == 7 or answer.status_code != 429 and answer.status_code < 500:
            break
        time.sleep(after(answer.headers.get("Retry-After", "")))
    # A redirect is an error, because the key goes to no other address. So is a page from a proxy.
    if answer.status_code != 200 or not re.match("application/json|text/csv", answer.headers.get("Content-Type", "")):
        raise RuntimeError(f"{answer.status_code} {answer.text.replace(KEY, '…')[:500]!r}")
    tags = answer.headers.get("DG-Months")
    return answer, None if tags is None else dict(tag.split("=") for tag in tags.split(", ") if tag)


def count(fork, period):
    """Returns the number of plays of each month in a period."""
    plays = collections.Counter()
    for day in ask("GET", f"/{fork}/stats", **period)[0].json()["daily"]:
        plays[day["date"][:7]] += day["plays"]
    return plays


@dlt.source(name="dg")
def dg():
    forks = ask("GET", "")[0].json()["items"]
    if not forks:
        raise RuntimeError("There is no fork: nothing was changed.")
    ids = {fork["id"] for fork in forks}
    today = dt.datetime.now(dt.timezone.utc).date()

    @dlt.resource(write_disposition="replace", primary_key="id")
    def dg_forks():
        yield forks

    # A month without plays is a row that only deletes. Months are replaced whole: an erased player is gone.
    @dlt.resource(write_disposition="merge", merge_key=["forkId", "month"], columns={
        "gone": {"hard_delete": True, "data_type": "bool"}, "playId": {"data_type": "text", "nullable": True},
        "startedAt": {"data_type": "timestamp"}, "completedAt": {"data_type": "timestamp"},
        "releaseNumber": {"data_type": "bigint"}, "durationSeconds": {"data_type": "bigint"}, "completed": {"data_type": "bool"},
        "scorePercent": {"data_type": "decimal", "precision": 5, "scale": 2}, "passed": {"data_type": "bool"}})
    def dg_plays():
        known = dlt.current.resource_state().setdefault("months", {})
        if any(at[-7:] < str(START) for at in known):  # erased players would stay in them
            raise RuntimeError(f"The copy has months before {START}: keep its first year, or start a new copy.")
        if not known and any(fork["createdAt"][:4] < str(START) for fork in forks):
            print(f"Some forks are older than {START}: their plays before it are not copied, until START is an earlier year.")
        gone = [at for at in known if at[:36] not in ids]
        if gone and len(gone) == len(known):
            raise RuntimeError("The copy has none of the listed forks: is it another organisation's? Start a new copy.")
        for at in gone:  # of a deleted fork
            del known[at]
            yield [{"playId": None, "forkId": at[:36], "month": at[-7:], "gone": True}]
        for fork in forks:
            for number in range(START, today.year + 1):
                first, last = dt.date(number, 1, 1), min(today, dt.date(number, 12, 31))
                year, plays = {"from": str(first), "to": str(last)}, None
                tags = ask("HEAD", f"/{fork['id']}/exports/csv", **year)[1]
                for month in range(1, last.month + 1):
                    name = f"{number}-{month:02}"
                    at = f"{fork['id']} {name}"
                    if tags and tags.get(name) and known.get(at) == tags[name]:
                        continue
                    end = min(last, dt.date(number, month, calendar.monthrange(number, month)[1]))
                    period = {"from": f"{name}-01", "to": str(end)}
                    for attempt in range(2):  # again if the numbers differ: a play may have come in between
                        answer, sent = ask("GET", f"/{fork['id']}/exports/csv", **period)
                        answer.encoding = "utf-8"
                        if not answer.text.startswith(HEADER):
                            raise RuntimeError("The answer is no export: its header row is another one.")
                        rows = list(csv.DictReader(io.StringIO(answer.text, newline=""), strict=True))
                        whole = answer.text.endswith("\n") and not any(None in row or None in row.values() for row in rows)
                        plays = count(fork["id"], year) if attempt or plays is None else plays
                        if whole and len(rows) == plays[name]:
                            break
                    else:
                        raise RuntimeError(f"{fork['id']}, {name}: rows are missing or cut.")
                    yield [{**{k: v or None for k, v in row.items()}, "month": name, "gone": False} for row in rows] or [
                        {"playId": None, "forkId": fork["id"], "month": name, "gone": True}]
                    known[at] = sent and sent.get(name)  # of the rows themselves; none under nominative reporting

    return dg_forks, dg_plays


if __name__ == "__main__":
    pipeline = dlt.pipeline("dg", destination=os.environ.get("DG_DESTINATION", "duckdb"), dataset_name="reporting")
    if pipeline.has_pending_data:  # of a run that broke off
        pipeline.run()
    print(pipeline.run(dg()))
