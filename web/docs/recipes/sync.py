# Keeps a copy of every play of every fork in dg.sqlite. Run it every night; standard library only, Python 3.9 or later.
# The key is in a file, so that it can be replaced at any time: DG_KEY_FILE=/etc/dg-key python3 sync.py
#
# A play belongs to the UTC day on which it started. It may arrive, complete or go with an erased player later. So each
# night reads the last 35 days again, the first night of a week (from Sunday on) the last 366 days, and the first night of
# a month everything since START, year by year. So does a night after a change of the reporting mode, which decides
# whether playerLabel is a name.
#
# A fork is replaced in one transaction: a night that fails leaves its copy as it was. A finished fork is not read again
# on the same day. The program exits with 1 when a fork failed: run it again.
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
import urllib.request
from concurrent.futures import ThreadPoolExecutor

URL = "https://dg.example.org"
START = "2024-01-01"  # the first day of the copy
EXPORTS = 3  # at once: what the service allows for one key, of 4 for the organisation
AGAIN, LONG = 35, 366  # days to read again: every night, and every week
KEEP = ("playId", "forkId", "releaseNumber", "playerKey", "playerLabel", "startedAt", "completedAt",
        "durationSeconds", "completed", "scorePercent", "passed", "skills")
TYPES = {"releaseNumber": int, "durationSeconds": int, "scorePercent": float,
         "completed": lambda cell: cell == "true", "passed": lambda cell: cell == "true"}
TABLES = """
create table if not exists plays (playId text primary key, forkId text not null, releaseNumber integer, playerKey text not null,
  playerLabel text not null, startedAt text not null, completedAt text, durationSeconds integer, completed integer not null,
  scorePercent real, passed integer, skills text);
create index if not exists plays_of_day on plays (forkId, startedAt);
create table if not exists copies (forkId text primary key, night text not null, mode text not null);
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


def read(path):
    with tempfile.TemporaryFile() as file:
        fetch(path, file)
        return json.load(file)


def rows(file):
    for row in csv.DictReader(map(bytes.decode, file)):
        yield [None if row[name] == "" else TYPES.get(name, str)(row[name]) for name in KEEP]


def first_day(copy, mode, today):
    """Returns the first day to read again, or None for everything."""
    if copy is None or copy[1] != mode or copy[0][:7] != str(today)[:7]:
        return None
    same_week = dt.date.fromisoformat(copy[0]).toordinal() // 7 == today.toordinal() // 7  # weeks begin on Sunday
    return today - dt.timedelta(days=AGAIN if same_week else LONG)


def sync(fork, mode, today):
    """Brings one fork up to yesterday, the last day that is over."""
    db = sqlite3.connect("dg.sqlite", timeout=3600)
    copy = db.execute("select night, mode from copies where forkId = ?", (fork["id"],)).fetchone()
    if copy == (str(today), mode):
        return
    since = first_day(copy, mode, today)
    first, yesterday = max(since or dt.date.min, dt.date.fromisoformat(START)), today - dt.timedelta(days=1)
    files = []
    while first <= yesterday:  # windows of at most 366 days
        last = min(first + dt.timedelta(days=365), yesterday)
        files.append(tempfile.TemporaryFile())
        fetch(f"/api/v1/forks/{fork['id']}/exports/csv?from={first}&to={last}", files[-1])
        first = last + dt.timedelta(days=1)
    with db:  # one transaction
        db.execute("delete from plays where forkId = ? and startedAt >= ?", (fork["id"], str(since or "")))
        for file in files:
            db.executemany(f"insert into plays values ({','.join('?' * len(KEEP))})", rows(file))
        db.execute("insert or replace into copies values (?, ?, ?)", (fork["id"], str(today), mode))


def main():
    db = sqlite3.connect("dg.sqlite", timeout=3600)
    db.executescript("pragma journal_mode = wal;" + TABLES)
    today = dt.datetime.now(dt.timezone.utc).date()
    forks = read("/api/v1/forks")["items"]
    mode = None
    if forks:  # any fork has the organisation's mode. One that changes from here on is seen by the next night
        mode = read(f"/api/v1/forks/{forks[0]['id']}/stats?from={today}&to={today}")["reportingMode"]
    failed = 0
    with ThreadPoolExecutor(EXPORTS) as pool:
        for fork, result in [(fork, pool.submit(sync, fork, mode, today)) for fork in forks]:
            if error := result.exception():
                failed += 1
                print(fork["slug"], error, file=sys.stderr)
    if state["expires"]:
        print("Replace the key: it expires at", state["expires"], file=sys.stderr)
    db.execute("vacuum")  # no name stays in a free place of the file, or in its log
    db.execute("pragma wal_checkpoint(truncate)")
    count = db.execute("select count(*), count(distinct playerKey), sum(completed) from plays").fetchone()
    print(f"{len(forks) - failed} of {len(forks)} forks, {count[0]} plays, {count[1]} players, {count[2]} completed")
    sys.exit(1 if failed else 0)


main()
