# Runs a program once for each line of input, the date of a night: python3 nights.py sync.py --dest csv --to copy
# After each it prints a line of JSON: the exit code, the output, the copy, and the free places of its file.
import contextlib
import csv
import datetime as dt
import glob
import io
import json
import logging
import os
import sys

program_file, _, dest, _, to = sys.argv[1:6]
with open(program_file) as file:
    program = compile(file.read(), program_file, "exec")


def copied():
    if dest == "csv":
        for path in glob.glob(to + "/plays/*.csv"):
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    yield [row[name] for name in ("forkId", "startedAt", "playerKey", "playerLabel", "playId", "completedAt",
                                                  "scorePercent", "passed")]
        return
    module = __import__("duckdb" if dest == "duckdb" else "psycopg")
    db = module.connect(to)
    yield from db.execute("""select cast("forkId" as text), extract(epoch from "startedAt"), "playerKey", "playerLabel",
        cast("playId" as text), extract(epoch from "completedAt"), "scorePercent", passed from dg_plays""").fetchall()
    db.close()


def free_places():
    """Counts the places of the file that may keep deleted rows."""
    if dest != "duckdb":
        return 0
    db = __import__("duckdb").connect(to)
    free = db.execute("select free_blocks from pragma_database_size()").fetchall()[0][0]
    db.close()
    return int(free)


def instant(value):
    if value is None or value == "":
        return "-"
    if "T" in str(value):
        return value
    return dt.datetime.fromtimestamp(round(float(value), 3), dt.timezone.utc).isoformat(timespec="milliseconds")[:-6] + "Z"


def result(play, completed, score, passed):
    score = "-" if score in (None, "") else round(float(score) * 100)
    passed = "-" if passed in (None, "") else int(str(passed).lower() == "true")
    return f"{play} {instant(completed)} {score} {passed}"


for line in sys.stdin:
    os.environ["NIGHT"] = line.strip()
    logging.getLogger().handlers.clear()
    sys.argv = sys.argv[1:] if sys.argv[0] != program_file else sys.argv
    output, code = io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            exec(program, {"__name__": "__main__"})
        except SystemExit as end:
            code = end.code
    rows = [[fork, instant(started), *player, result(*of)] for fork, started, *player, of in
            ((row[0], row[1], row[2], row[3], row[4:]) for row in copied())]
    print(json.dumps({"Code": code, "Output": output.getvalue(), "Rows": rows, "Free": free_places()}), flush=True)
