# Keeps a typed copy of the plays of every fork since START, a day below. Run it every night. Python 3.9 or later.
#
#   DG_KEY_FILE=key.txt python3 sync.py --dest csv --to copy                               no packages
#   python3 -m venv venv && venv/bin/pip install duckdb "psycopg[binary]"                  for these:
#   DG_KEY_FILE=key.txt venv/bin/python3 sync.py --dest duckdb --to dg.duckdb
#   DG_KEY_FILE=key.txt venv/bin/python3 sync.py --dest postgres --to "dbname=warehouse"
#
# A play may arrive, complete or go with an erased player long after its day. So each night asks for the tags of all
# months since --since, a HEAD for each year, and reads those whose tags differ from the copy's. A change of the reporting
# mode reads everything, and so does another --since. One after the copy's first play is refused.
#
# Names have no tags: under nominative reporting each night reads the last 35 days again, the first night of a week (from
# Sunday on) 366 days, and the first night of a month everything.
#
# A fork is replaced in one transaction, and read again on the same day only if that failed. A fork that was deleted goes
# with its plays. A copy that was deleted or cut is read anew. The log is on standard error. Exit codes:
#
#   0  every fork is copied
#   1  forks are missing, or nothing answered: run it again
#   2  wrong arguments, another organisation's copy, a package is missing, or the key's file cannot be read
#   3  the key is refused, not one line of ASCII without quotes, or of an organisation without forks: nothing is deleted
import argparse
import csv
import datetime as dt
import email.utils
import gzip
import heapq
import http.client
import itertools
import json
import logging
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
START = "2024-01-01"  # the first day of the copy, unless --since names another
EXPORTS = 3  # at once, of 4 that the service allows for the organisation
AGAIN, LONG = 35, 366  # days to read again without tags: every night, and every week
DAY = dt.timedelta(days=1)
TABLES = {
    "dg_plays": {
        "playId": "uuid", "forkId": "uuid", "releaseNumber": "integer", "playerKey": "text", "playerLabel": "text",
        "startedAt": "timestamptz", "completedAt": "timestamptz", "durationSeconds": "bigint", "completed": "boolean",
        "scorePercent": "numeric(5, 2)", "passed": "boolean", "skills": "text"},
    "dg_forks": {
        "forkId": "uuid", "gameId": "uuid", "slug": "text", "title": "text", "major": "integer", "status": "text",
        "visibility": "text", "sourceLocale": "text", "deployedReleaseNumber": "integer", "suspended": "boolean",
        "createdAt": "timestamptz", "updatedAt": "timestamptz"},
    "dg_copies": {"forkId": "uuid", "night": "date", "mode": "text", "size": "bigint"},  # done: bytes, or rows
    "dg_tags": {"forkId": "uuid", "month": "text", "tag": "text"},  # of the months as they are in the copy
}
log = logging.getLogger("sync")
lock = threading.Lock()
state = {"next": 0.0, "expires": None, "requests": 0, "waits": 0, "plays": 0}  # next: when a request may start


# A redirect is an error: the key goes to no other address.
urllib.request.HTTPRedirectHandler.redirect_request = lambda *_: None


class Refused(Exception):
    """The service refuses the key, it cannot be one, or it shows no fork."""


class Wrong(Exception):
    """An argument is wrong."""


class Files:
    """A file for each fork: plays/<forkId>.csv."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "plays"), exist_ok=True)
        self.lock = sqlite3.connect(os.path.join(folder, "lock"), timeout=0, isolation_level=None)
        try:
            self.lock.execute("begin exclusive")  # as long as the process lives
        except sqlite3.OperationalError as error:
            raise RuntimeError(f"another run writes into the folder: {error}") from None
        self.copies = {fork: (night, mode, size) for fork, night, mode, size in self.read("copies.csv", "dg_copies")
                       if size == self.size(fork)}
        self.tags = by_fork(self.read("tags.csv", "dg_tags"))

    def read(self, name, table):
        """Yields whole rows: what lacks some is read anew."""
        path = os.path.join(self.folder, name)
        try:
            with open(path, newline="", encoding="utf-8") as file:
                yield from (row for row in itertools.islice(csv.reader(file), 1, None) if len(row) == len(TABLES[table]))
        except FileNotFoundError:
            pass
        except (ValueError, csv.Error) as error:
            raise RuntimeError(f"{path} is broken, delete it and run it again: {error}") from None

    def file(self, fork):
        return f"plays/{urllib.parse.quote(fork, safe='')}.csv"

    def size(self, fork):
        path = os.path.join(self.folder, self.file(fork))
        return str(os.path.getsize(path) if os.path.exists(path) else -1)

    def forks(self):
        """Returns the forks that have a file of this program."""
        names = os.listdir(os.path.join(self.folder, "plays"))
        return {name[:36] for name in names if re.fullmatch(r"[0-9a-f-]{36}\.csv(\.new)?", name)}

    def begins_before(self, day):
        firsts = (next(self.read(self.file(fork), "dg_plays"), None) for fork in self.copies)
        return any(row and row[5][:10] < str(day) for row in firsts)

    def write(self, name, table, rows):
        path = os.path.join(self.folder, name)
        with open(path + ".new", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(itertools.chain([TABLES[table]], rows))
        os.replace(path + ".new", path)

    def set_forks(self, rows):
        self.write("forks.csv", "dg_forks", (map(guarded, row) for row in rows))
        for fork in self.forks() - {row[0] for row in rows}:
            for path in (os.path.join(self.folder, self.file(fork) + end) for end in ("", ".new")):
                if os.path.exists(path):
                    os.remove(path)
            self.copies.pop(fork, None)
            self.tags.pop(fork, None)
        self.write_done()

    def write_done(self):
        self.write("tags.csv", "dg_tags", ((fork, *tag) for fork, tags in self.tags.items() for tag in tags.items()))
        self.write("copies.csv", "dg_copies", ((fork, *done) for fork, done in self.copies.items()))

    def replace(self, fork, spans, rows, tags, copy):
        kept = (row for row in (self.read(self.file(fork), "dg_plays") if fork in self.copies else ())
                if not any(str(a) <= row[5][:10] <= str(b) for a, b in spans))
        self.write(self.file(fork), "dg_plays", heapq.merge(kept, rows, key=lambda row: (row[5], row[0])))
        self.tags[fork] = tags
        self.copies[fork] = *copy, self.size(fork)  # what a crash leaves has another size
        self.write_done()

    def close(self):
        pass  # a file that was replaced keeps no name


class Database:
    """The tables dg_plays and dg_forks, with the columns of the API, dg_copies and dg_tags."""

    begin = "begin"

    def __init__(self):
        for table, columns in TABLES.items():
            names = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
            self.run(f"create table if not exists {table} ({names})")
        self.run("alter table dg_copies add column if not exists size bigint")
        copies = self.run('select cast("forkId" as text), night, mode, size from dg_copies').fetchall()
        self.copies = {fork: (str(night), mode, size) for fork, night, mode, size in copies if size == self.size(fork)}
        self.tags = by_fork(self.run('select cast("forkId" as text), month, tag from dg_tags').fetchall())

    def run(self, statement, *values):
        return self.db.execute(statement, values)

    def size(self, fork):
        return self.run('select count(*) from dg_plays where "forkId" = cast(? as uuid)', fork).fetchone()[0]

    def forks(self):
        names = self.run('select cast("forkId" as text) from dg_forks union select cast("forkId" as text) from dg_copies')
        return {fork for fork, in names.fetchall()}

    def begins_before(self, day):
        return self.run('select 1 from dg_plays where "startedAt" < cast(? as timestamptz) limit 1', f"{day}T00:00:00Z").fetchone()

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
            self.run("delete from dg_forks")
            self.load("dg_forks", rows)
            for table in ("dg_plays", "dg_tags", "dg_copies"):
                self.run(f'delete from {table} where "forkId" not in (select "forkId" from dg_forks)')
        self.transaction(work)

    def replace(self, fork, spans, rows, tags, copy):
        def work():
            for first, last in spans:
                self.run('delete from dg_plays where "forkId" = cast(? as uuid) and "startedAt" >= cast(? as timestamptz) '
                         'and "startedAt" <= cast(? as timestamptz)', fork, f"{first}T00:00:00Z", f"{last}T23:59:59.999Z")
            self.load("dg_plays", rows)
            self.run('delete from dg_tags where "forkId" = cast(? as uuid)', fork)
            self.load("dg_tags", ((fork, *tag) for tag in tags.items()))
            self.run('delete from dg_copies where "forkId" = cast(? as uuid)', fork)
            self.run("insert into dg_copies values (?, ?, ?, ?)", fork, *copy, self.size(fork))
        self.transaction(work)


def by_fork(rows):
    tags = {}
    for fork, month, tag in rows:
        tags.setdefault(fork, {})[month] = tag
    return tags


def guarded(text):
    """Puts an apostrophe before what a spreadsheet takes for a formula, by the rule of the service's CSV."""
    shown = "".join(c if c.isprintable() or c in "\t\r\n\0" else " " for c in text)
    places = re.finditer(r'^(?=\s*[=+\-@＝＋－＠\t\r\n\0])|(?<=[;\t])(?=[\s"]*[=+\-@＝＋－＠\t\r\n\0])', shown)
    for at in reversed([place.start() for place in places]):
        text = text[:at] + "'" + text[at:]
    return text


def literal(text):
    return "'" + text.replace("'", "''") + "'"


class DuckDB(Database):
    def __init__(self, path):
        import duckdb
        path = os.path.realpath(path)  # a link stays one
        self.path, self.db = path, duckdb.connect(":memory:")
        self.run(f"attach {literal(path)} as old; use old")
        super().__init__()

    def load(self, table, rows):
        path = self.path + ".rows"  # beside the database: what a crash leaves is overwritten
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        kinds = ", ".join(f"'{name}': '{kind}'" for name, kind in TABLES[table].items())
        self.run(f"insert into {table} select * from read_csv({literal(path)}, header = false, auto_detect = false, "
                 f"quote = '\"', escape = '\"', columns = {{{kinds}}})")
        os.remove(path)

    def close(self):
        """Writes the file anew: free places keep no name."""
        fresh = self.path + ".new"
        if os.path.exists(fresh):
            os.remove(fresh)
        self.run(f"attach {literal(fresh)} as fresh; copy from database old to fresh; detach fresh")
        self.db.close()
        os.replace(fresh, self.path)


class Postgres(Database):
    begin = "begin; lock table dg_copies in exclusive mode"  # two runs at once leave no play twice

    def __init__(self, connection):
        import psycopg
        self.db = psycopg.connect(connection, autocommit=True)
        encoding = self.db.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise Wrong(f"the encoding of the database is {encoding}: create it with encoding 'UTF8'")
        super().__init__()
        self.run('create index if not exists dg_plays_of_day on dg_plays ("forkId", "startedAt")')

    def run(self, statement, *values):
        return self.db.execute(statement.replace("?", "%s"), values or None)

    def load(self, table, rows):
        names = ", ".join(f'"{name}"' for name in TABLES[table])
        with self.db.cursor().copy(f"copy {table} ({names}) from stdin") as copy:
            for row in rows:
                copy.write_row([value or None for value in row])

    def close(self):
        self.run("vacuum (analyze) dg_plays")
        self.db.close()


def pause(seconds):
    with lock:
        state["waits"] += 1
        state["next"] = max(state["next"], time.monotonic() + seconds)


def after(text):
    """Returns the seconds of Retry-After: a number, or until a date within an hour. Anything else means five."""
    if re.fullmatch(r"\d{1,4}(\.\d+)?", text):
        return float(text)
    date = email.utils.parsedate_tz(text)
    seconds = email.utils.mktime_tz(date) - time.time() if date and date[0] < 9000 else -1
    return seconds if 0 <= seconds <= 3600 else 5


def key():
    try:
        with open(os.environ["DG_KEY_FILE"], encoding="utf-8-sig", errors="replace") as file:
            text = file.read().strip("\ufeff \t\r\n")
    except OSError as error:
        raise Wrong(f"the key's file cannot be read: {error.strerror}") from None
    if not re.fullmatch(r"[!#-&(-~]+", text):
        raise Refused("the file of DG_KEY_FILE is not one line of ASCII text without quotes")
    return text


def fetch(path, to_file, used=None):
    """Writes the answer of a GET into a file, whole or not at all, or sends HEAD without a file. Returns the headers."""
    for attempt in range(8):
        time.sleep(max(0, state["next"] - time.monotonic()))
        used, before = key(), used
        request = urllib.request.Request(URL.rstrip("/") + path, method="GET" if to_file else "HEAD", headers={
            "Authorization": "Bearer " + used, "Accept-Encoding": "gzip",
            "If-None-Match": '""'})  # it allows more tags of months
        with lock:
            state["requests"] += 1
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                if response.status != 200 or not re.match("application/json|text/csv", response.headers.get("Content-Type", "")):
                    raise RuntimeError("the answer is not the service's: is a proxy or a sign-in page in between?")
                left = re.search(r"r=(\d+);t=(\d+)", response.headers.get("RateLimit", ""))
                if left and int(left[1]) < EXPORTS:  # the others may be asking too
                    pause(int(left[2]))
                state["expires"] = response.headers.get("DG-Key-Expires")
                if to_file:
                    to_file.seek(0)
                    to_file.truncate()
                    zipped = response.headers.get("Content-Encoding") == "gzip"
                    body = gzip.GzipFile(fileobj=response) if zipped else response
                    while block := body.read(1 << 16):  # a transfer that breaks off raises
                        to_file.write(block)
                    to_file.seek(0)
                return response.headers
        except urllib.error.HTTPError as refusal:
            if (refusal.code == 429 or refusal.code >= 500) and attempt < 7:  # too many requests, or busy
                pause(after(refusal.headers.get("Retry-After", "")))
            elif refusal.code == 401 and used != before:
                time.sleep(1)  # the key may have been replaced just now: read its file once more
            else:
                error = Refused if refusal.code in (401, 403) else RuntimeError
                told = refusal.read(9999).decode(errors="replace") or str(refusal.reason)  # HEAD has no body
                raise error(f"{refusal.code} {told.replace(used, '…')[:500]!r}")
        except (OSError, EOFError, http.client.HTTPException) as broken:  # no connection, or it was lost
            log.warning("%s: %s: attempt %d", path, broken, attempt + 1)
            if attempt < 7:
                time.sleep(2 ** attempt)
    raise RuntimeError("no answer after 8 attempts: " + path)


def read(path):
    with tempfile.TemporaryFile() as file:
        fetch(path, file)
        return json.load(file)


def tags_of(headers):
    """Returns the tags of months, or None where there is no header: names, or an older service."""
    months = headers.get("DG-Months")
    return None if months is None else dict(re.findall(r"(\d{4}-\d{2})=([\w-]+)", months))


def changed(path, known, first, last):
    """Returns the first and last days of months whose tags differ, or None without tags. Adjacent months are one."""
    spans = []
    while first <= last:
        year = min(dt.date(first.year, 12, 31), last)
        tags = tags_of(fetch(path.format("exports/csv", first, year), None))
        if tags is None:
            return None
        while first <= year:
            month, end = str(first)[:7], min((first.replace(day=1) + 31 * DAY).replace(day=1) - DAY, year)
            if tags.get(month, "") != known.get(month):
                if spans and spans[-1][1] == first - DAY and (end - spans[-1][0]).days < LONG:
                    spans[-1] = spans[-1][0], end
                else:
                    spans.append((first, end))
            first = end + DAY
    return spans


def first_day(copy, today):
    """Returns the first day to read again without tags: the first of all means everything."""
    if copy is None or copy[0][:7] != str(today)[:7]:
        return dt.date.min
    same_week = dt.date.fromisoformat(copy[0]).toordinal() // 7 == today.toordinal() // 7  # weeks begin on Sunday
    return today - (AGAIN if same_week else LONG) * DAY


def windows(first, last):
    """Returns the period in windows of at most 366 days."""
    return [(first + n * DAY, min(first + (n + LONG - 1) * DAY, last)) for n in range(0, (last - first).days + 1, LONG)]


def whole(file, path, span):
    """Requires the header row, whole rows, and as many as there are plays. Once more: a play may have come in between."""
    for attempt in range(2):
        fetched = fetch(path.format("exports/csv", *span), file)
        table = csv.reader(map(bytes.decode, file))
        names = next(table, [])
        cells = [len(row) for row in table]
        if not set(TABLES["dg_plays"]) <= set(names) or any(n != len(names) for n in cells):
            break
        file.seek(-1, os.SEEK_END)
        if file.read() == b"\n" and len(cells) == read(path.format("stats", *span))["plays"]:
            file.seek(0)
            return fetched
    raise RuntimeError(f"{span[0]} to {span[1]}: rows are missing or cut, or the answer is no export")


def rows(files, mode):
    for file in files:
        for row in csv.DictReader(map(bytes.decode, file)):
            if mode == "pseudonymous" and row["playerLabel"] != row["playerKey"]:
                raise RuntimeError("the reporting mode has changed: run it again")
            state["plays"] += 1
            yield [row[name] for name in TABLES["dg_plays"]]


def sync(to, fork, mode, today, start):
    """Brings one fork up to yesterday, the last day that is over."""
    done = str(today), f"{mode} since {start}"
    copy = to.copies.get(fork["id"])
    if copy and copy[:2] == done:
        return
    path = f"/api/v1/forks/{fork['id']}/{{}}?from={{}}&to={{}}"
    fresh = copy is None or copy[1] != done[1]
    known = {} if fresh else to.tags.get(fork["id"], {})
    spans = changed(path, known, start, today - DAY) if mode == "pseudonymous" else None
    replaced = [(dt.date.min, dt.date.max)] if fresh else spans
    if spans is None:
        since = first_day(None if fresh else copy, today)
        spans, replaced = windows(max(since, start), today - DAY), [(since, dt.date.max)]
    tags = {month: tag for month, tag in known.items() if not any(str(a)[:7] <= month <= str(b)[:7] for a, b in replaced)}
    files = []
    for span in spans:
        files.append(tempfile.TemporaryFile())
        tags.update(tags_of(whole(files[-1], path, span)) or {})  # of the rows; without any they are read again
    with lock:
        before = state["plays"]
        to.replace(fork["id"], replaced, rows(files, mode), tags, done)
        log.info("%s: %d plays read, %d requests for them", fork["slug"], state["plays"] - before, len(spans))


def cell(value):
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def run(to, start):
    began, today = time.monotonic(), dt.datetime.now(dt.timezone.utc).date()
    if to.begins_before(start):  # under names its older plays would go, under labels erased players would stay
        raise Wrong(f"the copy has plays before {start}: keep its first day, or start a new copy")
    forks = read("/api/v1/forks")["items"]
    if not forks:
        raise Refused("its organisation has no fork, nothing is deleted")
    if to.forks() and not to.forks() & {fork["id"] for fork in forks}:
        raise Wrong("the copy has none of the listed forks: is it another organisation's? Start a new copy")
    older = sum(fork["createdAt"][:10] < str(start) for fork in forks)
    if older:
        log.info("%d of the forks began before %s: plays before it are not copied, until START is an earlier day", older, start)
    to.set_forks([[cell({"forkId": fork["id"], **fork}[name]) for name in TABLES["dg_forks"]] for fork in forks])
    # Any fork has the organisation's mode. One that changes from here on is seen by the next night.
    mode = read(f"/api/v1/forks/{forks[0]['id']}/stats?from={today}&to={today}")["reportingMode"]
    done = 0
    with ThreadPoolExecutor(EXPORTS) as pool:
        for fork, result in [(fork, pool.submit(sync, to, fork, mode, today, start)) for fork in forks]:
            try:
                result.result()
                done += 1
            except (Refused, Wrong):
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
    if not re.match(r"https://|http://(localhost|127\.0\.0\.1|\[::1])(:[0-9]+)?(/|$)", URL):
        parser.error("URL must begin with https://")
    if URL.startswith("http:"):
        os.environ["no_proxy"] = "*"  # no proxy may see the unencrypted key
    late = threading.Timer(20 * 3600, lambda: (log.error("the copy is not whole after 20 hours"), os._exit(1)))
    late.daemon = True  # the next night's run finds no lock
    late.start()
    os.umask(0o077)  # the files hold names
    try:
        return run(destinations[arguments.dest](arguments.to), arguments.since)
    except (ImportError, Wrong) as wrong:
        parser.error(str(wrong))
    except Refused as refusal:
        log.error("the key is refused: %s", refusal)
        return 3
    except Exception as error:
        log.error("%s: %s", type(error).__name__, error)
        return 1


sys.exit(main())
