# Runs a program once for each line of input, the date of a night: python3 nights.py sync.py
# After each it prints a line of JSON: the exit code, the output and the copy in dg.sqlite.
import contextlib
import io
import json
import os
import sqlite3
import sys
import traceback

with open(sys.argv[1]) as file:
    program = compile(file.read(), sys.argv[1], "exec")
for line in sys.stdin:
    os.environ["NIGHT"] = line.strip()
    output, code = io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            exec(program, {"__name__": "__main__"})
        except SystemExit as end:
            code = end.code
        except Exception:
            traceback.print_exc()
            code = 1
    db = sqlite3.connect("dg.sqlite")
    rows = db.execute("""select forkId, startedAt, playerKey, playerLabel, playId || ' ' || coalesce(completedAt, '-') || ' ' ||
        coalesce(cast(round(scorePercent * 100) as integer), '-') || ' ' || coalesce(passed, '-') from plays""").fetchall()
    db.close()
    print(json.dumps({"Code": code, "Output": output.getvalue(), "Rows": rows}), flush=True)
