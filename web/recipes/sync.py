# Keeps a copy of every play of every fork in dg.sqlite. Run it every night; standard library only, Python 3.9 or later.
# The key is in a file, so that it can be replaced at any time: DG_KEY_FILE=/etc/dg-key python3 sync.py
#
# A play belongs to the UTC day on which it started. It may complete, or arrive, days later. So each night reads the last 35 days
# again, and on Sundays the last 366: either is one request for a fork. A window is replaced as a whole, so that rows of players
# who were deleted go too. Their older rows stay until a fork is read from the start: delete its row in the table synced.
#
# It resumes: a window is one transaction, and a finished fork is not read again on the same day. It exits with 1 when a fork
# failed: run it again.
import csv
import datetime as dt
import http.client
import json
import os
import re
import sqlite3
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

URL = "https://dg.example.org"
START = "2024-01-01"  # the first day of the copy
EXPORTS = 3  # at once: what the service allows for one key, of 4 for the organisation
AGAIN, LONG = 35, 366  # days to read again: every night, and on Sundays
KEEP = ("playId", "forkId", "releaseNumber", "playerKey", "playerLabel", "startedAt", "completedAt",
        "durationSeconds", "completed", "scorePercent", "passed", "skills")
TYPES = {"releaseNumber": int, "durationSeconds": int, "scorePercent": float,
         "completed": lambda cell: cell == "true", "passed": lambda cell: cell == "true"}
TABLES = """
create table if not exists plays (playId text primary key, forkId text not null, releaseNumber integer, playerKey text not null,
  playerLabel text not null, startedAt text not null, completedAt text, durationSeconds integer, completed integer not null,
  scorePercent real, passed integer, skills text);
create index if not exists plays_of_day on plays (forkId, startedAt);
create table if not exists synced (forkId text primary key, through text not null);
"""
lock = threading.Lock()
state = {"next": 0.0, "expires": None}  # when the next request may start; the last DG-Key-Expires


def pause(seconds):
    with lock:
        state["next"] = max(state["next"], time.monotonic() + seconds)


def key():
    with open(os.environ["DG_KEY_FILE"]) as file:
        return file.read().strip()


def fetch(path, to_file, used=None):
    """Writes the answer of a GET into a file, whole or not at all."""
    for attempt in range(8):
        time.sleep(max(0, state["next"] - time.monotonic()))
        used, before = key(), used
        request = urllib.request.Request(URL + path, headers={"Authorization": "Bearer " + used})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                left = re.search(r"r=(\d+);t=(\d+)", response.headers.get("RateLimit", ""))
                if left and int(left[1]) < EXPORTS:  # the others may be asking too
                    pause(int(left[2]))
                state["expires"] = response.headers.get("DG-Key-Expires")
                to_file.seek(0)
                to_file.truncate()
                while block := response.read(1 << 16):  # a transfer that breaks off raises
                    to_file.write(block)
                return to_file.seek(0)
        except urllib.error.HTTPError as refusal:
            if refusal.code == 429 or refusal.code >= 500:  # too many requests, or busy
                pause(int(refusal.headers.get("Retry-After", 5)))
            elif refusal.code == 401 and used != before:
                time.sleep(1)  # the key may have been replaced just now: read its file once more
            else:
                raise RuntimeError(refusal.read().decode())
        except (OSError, http.client.HTTPException) as broken:  # no connection, or it was lost
            print(path, broken, file=sys.stderr)
            time.sleep(2 ** attempt)
    raise RuntimeError("no answer after 8 attempts: " + path)


def rows(file):
    for row in csv.DictReader(map(bytes.decode, file)):
        yield [None if row[name] == "" else TYPES.get(name, str)(row[name]) for name in KEEP]


def sync(fork, today):
    """Brings one fork up to yesterday, the last day that is over."""
    db = sqlite3.connect("dg.sqlite", timeout=60)
    first, yesterday = dt.date.fromisoformat(START), today - dt.timedelta(days=1)
    if through := db.execute("select through from synced where forkId = ?", (fork["id"],)).fetchone():
        done = dt.date.fromisoformat(through[0])
        if done >= yesterday:
            return
        first = max(first, done - dt.timedelta(days=(LONG if today.weekday() == 6 else AGAIN) - 2))
    while first <= yesterday:  # windows of at most 366 days
        last = min(first + dt.timedelta(days=365), yesterday)
        after = last + dt.timedelta(days=1)
        with tempfile.TemporaryFile() as file:
            fetch(f"/api/v1/forks/{fork['id']}/exports/csv?" + urllib.parse.urlencode({"from": first, "to": last}), file)
            with db:  # one transaction
                db.execute("delete from plays where forkId = ? and startedAt >= ? and startedAt < ?", (fork["id"], str(first), str(after)))
                db.executemany(f"insert into plays values ({','.join('?' * len(KEEP))})", rows(file))
                db.execute("insert or replace into synced values (?, ?)", (fork["id"], str(last)))
        first = after


def main():
    db = sqlite3.connect("dg.sqlite")
    db.executescript("pragma journal_mode = wal;" + TABLES)
    with tempfile.TemporaryFile() as file:
        fetch("/api/v1/forks", file)
        forks = json.load(file)["items"]
    today, failed = dt.datetime.now(dt.timezone.utc).date(), 0
    with ThreadPoolExecutor(EXPORTS) as pool:
        for fork, result in [(fork, pool.submit(sync, fork, today)) for fork in forks]:
            if error := result.exception():
                failed += 1
                print(fork["slug"], error, file=sys.stderr)
    if state["expires"]:
        print("Replace the key: it expires at", state["expires"], file=sys.stderr)
    count = db.execute("select count(*), count(distinct playerKey), sum(completed) from plays").fetchone()
    print(f"{len(forks) - failed} of {len(forks)} forks, {count[0]} plays, {count[1]} players, {count[2]} completed")
    sys.exit(1 if failed else 0)


main()
