# Keeps a typed copy of every play of every fork. Run it every night. Python 3.9 or later.
#
#   DG_KEY_FILE=key.txt python3 sync.py --dest csv --to copy                        no packages
#   DG_KEY_FILE=key.txt python3 sync.py --dest duckdb --to dg.duckdb                pip install duckdb
#   DG_KEY_FILE=key.txt python3 sync.py --dest postgres --to "dbname=warehouse"     pip install "psycopg[binary]"
#
# A play belongs to the UTC day on which it started. It may arrive, complete or go with an erased player later. So each
# night reads the last 35 days again, the first night of a week (from Sunday on) the last 366 days, and the first night of
# a month everything since --since, year by year. So does a night after a change of the reporting mode, which decides
# whether playerLabel is a name.
#
# A fork is replaced in one transaction: a night that fails leaves its copy as it was. A fork that is done is not read
# again on the same day, so a run that was interrupted resumes. The log is on standard error. Exit codes:
#
#   0  every fork is copied
#   1  forks are missing, or nothing answered: run it again
#   2  wrong arguments, or a package is missing
#   3  the key is refused: replace it in its file
import argparse
import csv
import datetime as dt
import http.client
import itertools
import json
import logging
import os
import re
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

URL = "https://dg.example.org"
START = "2024-01-01"  # the first day of the copy, unless --since names another
EXPORTS = 3  # at once: what the service allows for one key, of 4 for the organisation
AGAIN, LONG = 35, 366  # days to read again: every night, and every week
TABLES = {
    "plays": {
        "playId": "text", "forkId": "text", "releaseNumber": "integer", "playerKey": "text", "playerLabel": "text",
        "startedAt": "timestamptz", "completedAt": "timestamptz", "durationSeconds": "integer", "completed": "boolean",
        "scorePercent": "numeric(5, 2)", "passed": "boolean", "skills": "text"},
    "forks": {
        "id": "text", "gameId": "text", "slug": "text", "title": "text", "major": "integer", "status": "text",
        "visibility": "text", "sourceLocale": "text", "deployedReleaseNumber": "integer", "suspended": "boolean",
        "createdAt": "timestamptz", "updatedAt": "timestamptz"},
    "copies": {"forkId": "text", "night": "date", "mode": "text"},  # what is done
}
log = logging.getLogger("sync")
lock = threading.Lock()
state = {"next": 0.0, "expires": None, "requests": 0, "waits": 0, "plays": 0}  # next: when a request may start


class Refused(Exception):
    """The service refuses the key."""


class Files:
    """A file for each fork: plays/<forkId>.csv."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "plays"), exist_ok=True)
        self.copies = {fork: (night, mode) for fork, night, mode in self.read("copies.csv")}

    def read(self, name):
        if os.path.exists(os.path.join(self.folder, name)):
            with open(os.path.join(self.folder, name), newline="", encoding="utf-8") as file:
                yield from itertools.islice(csv.reader(file), 1, None)

    def write(self, name, table, rows):
        path = os.path.join(self.folder, name)
        with open(path + ".new", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(itertools.chain([TABLES[table]], rows))
        os.replace(path + ".new", path)

    def set_forks(self, rows):
        self.write("forks.csv", "forks", rows)

    def replace(self, fork, since, rows, copy):
        name = f"plays/{urllib.parse.quote(fork, safe='')}.csv"
        self.write(name, "plays", itertools.chain((row for row in self.read(name) if row[5] < since), rows))
        self.copies[fork] = copy
        self.write("copies.csv", "copies", ((fork, *done) for fork, done in self.copies.items()))

    def close(self):
        pass  # a file that was replaced keeps no name


class Database:
    """The tables plays, forks and copies, with columns such as player_key."""

    begin = "begin"

    def __init__(self):
        for table, columns in TABLES.items():
            names = ", ".join(re.sub("([A-Z])", r"_\1", name).lower() + " " + kind for name, kind in columns.items())
            self.run(f"create table if not exists {table} ({names})")
        copies = self.run("select fork_id, night, mode from copies").fetchall()
        self.copies = {fork: (str(night), mode) for fork, night, mode in copies}

    def run(self, statement, *values):
        return self.db.execute(statement, values)

    def transaction(self, work):
        self.run(self.begin)
        try:
            work()
            self.run("commit")
        except BaseException:
            self.run("rollback")
            raise

    def set_forks(self, rows):
        def work():
            self.run("delete from forks")
            self.load("forks", rows)
        self.transaction(work)

    def replace(self, fork, since, rows, copy):
        def work():
            self.run("delete from plays where fork_id = ? and started_at >= cast(? as timestamptz)", fork,
                     (since or "0001-01-01") + "T00:00:00Z")
            self.load("plays", rows)
            self.run("delete from copies where fork_id = ?", fork)
            self.run("insert into copies values (?, ?, ?)", fork, *copy)
        self.transaction(work)


class DuckDB(Database):
    def __init__(self, path):
        import duckdb
        self.path, self.db = path, duckdb.connect(path)
        super().__init__()

    def load(self, table, rows):
        path = self.path + ".rows"  # beside the database: what a crash leaves is overwritten
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        kinds = ", ".join(f"'{name}': '{kind}'" for name, kind in TABLES[table].items())
        self.run(f"insert into {table} select * from read_csv('{path}', header = false, auto_detect = false, "
                 f"quote = '\"', escape = '\"', columns = {{{kinds}}})")
        os.remove(path)

    def close(self):
        """Writes the file anew: free places keep no name."""
        fresh = self.path + ".new"
        if os.path.exists(fresh):
            os.remove(fresh)
        name = self.run("select current_database()").fetchall()[0][0]
        self.run(f"attach '{fresh}' as fresh")
        self.run(f'copy from database "{name}" to fresh')
        self.run("detach fresh")
        self.db.close()
        os.replace(fresh, self.path)


class Postgres(Database):
    begin = "begin; lock table copies in exclusive mode"  # two runs at once leave no play twice

    def __init__(self, connection):
        import psycopg
        self.db = psycopg.connect(connection, autocommit=True)
        super().__init__()
        self.run("create index if not exists plays_of_day on plays (fork_id, started_at)")

    def run(self, statement, *values):
        return self.db.execute(statement.replace("?", "%s"), values or None)

    def load(self, table, rows):
        with self.db.cursor().copy(f"copy {table} from stdin") as copy:
            for row in rows:
                copy.write_row([value or None for value in row])

    def close(self):
        self.run("vacuum (analyze) plays")
        self.db.close()


def pause(seconds):
    with lock:
        state["waits"] += 1
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
        with lock:
            state["requests"] += 1
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
                error = Refused if refusal.code in (401, 403) else RuntimeError
                raise error(f"{refusal.code} {refusal.read().decode(errors='replace')}")
        except (OSError, http.client.HTTPException) as broken:  # no connection, or it was lost
            log.warning("%s: %s: attempt %d", path, broken, attempt + 1)
            time.sleep(2 ** attempt)
    raise RuntimeError("no answer after 8 attempts: " + path)


def read(path):
    with tempfile.TemporaryFile() as file:
        fetch(path, file)
        return json.load(file)


def first_day(copy, mode, today):
    """Returns the first day to read again, or None for everything."""
    if copy is None or copy[1] != mode or copy[0][:7] != str(today)[:7]:
        return None
    same_week = dt.date.fromisoformat(copy[0]).toordinal() // 7 == today.toordinal() // 7  # weeks begin on Sunday
    return today - dt.timedelta(days=AGAIN if same_week else LONG)


def rows(files):
    for file in files:
        for row in csv.DictReader(map(bytes.decode, file)):
            state["plays"] += 1
            yield [row[name] for name in TABLES["plays"]]


def sync(to, fork, mode, today, start):
    """Brings one fork up to yesterday, the last day that is over."""
    if to.copies.get(fork["id"]) == (str(today), mode):
        return
    since = first_day(to.copies.get(fork["id"]), mode, today)
    first, yesterday = max(since or dt.date.min, start), today - dt.timedelta(days=1)
    files = []
    while first <= yesterday:  # windows of at most 366 days
        last = min(first + dt.timedelta(days=365), yesterday)
        files.append(tempfile.TemporaryFile())
        fetch(f"/api/v1/forks/{fork['id']}/exports/csv?from={first}&to={last}", files[-1])
        first = last + dt.timedelta(days=1)
    with lock:
        before = state["plays"]
        to.replace(fork["id"], str(since or ""), rows(files), (str(today), mode))
        log.info("%s: %d plays since %s", fork["slug"], state["plays"] - before, since or start)


def cell(value):
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def run(to, start):
    began, today = time.monotonic(), dt.datetime.now(dt.timezone.utc).date()
    forks = read("/api/v1/forks")["items"]
    to.set_forks([[cell(fork[name]) for name in TABLES["forks"]] for fork in forks])
    mode = None
    if forks:  # any fork has the organisation's mode. One that changes from here on is seen by the next night
        mode = read(f"/api/v1/forks/{forks[0]['id']}/stats?from={today}&to={today}")["reportingMode"]
    done = 0
    with ThreadPoolExecutor(EXPORTS) as pool:
        for fork, result in [(fork, pool.submit(sync, to, fork, mode, today, start)) for fork in forks]:
            try:
                result.result()
                done += 1
            except Refused:
                pool.shutdown(cancel_futures=True)
                raise
            except Exception as error:
                log.error("%s: %s", fork["slug"], error)
    to.close()
    if state["expires"]:
        log.warning("replace the key: it expires at %s", state["expires"])
    log.info("%d of %d forks, %d plays read, %s, %d requests, %d waits, %d s", done, len(forks), state["plays"], mode,
             state["requests"], state["waits"], time.monotonic() - began)
    return 0 if done == len(forks) else 1


def main():
    destinations = {"duckdb": DuckDB, "postgres": Postgres, "csv": Files}
    parser = argparse.ArgumentParser()
    parser.add_argument("--dest", choices=destinations, required=True)
    parser.add_argument("--to", required=True, help="a file of DuckDB, a connection to PostgreSQL, or a folder")
    parser.add_argument("--since", type=dt.date.fromisoformat, default=START, help="the first day of the copy")
    arguments = parser.parse_args()
    logging.Formatter.converter = time.gmtime
    logging.basicConfig(level=logging.INFO, format="%(asctime)sZ %(levelname)s %(message)s", datefmt="%Y-%m-%dT%H:%M:%S")
    if not os.environ.get("DG_KEY_FILE"):
        parser.error("set DG_KEY_FILE to the file that holds the key")
    try:
        return run(destinations[arguments.dest](arguments.to), arguments.since)
    except ImportError as missing:
        parser.error(str(missing))
    except Refused as refusal:
        log.error("the key is refused: %s", refusal)
        return 3
    except Exception as error:
        log.error("%s: %s", type(error).__name__, error)
        return 1


sys.exit(main())
