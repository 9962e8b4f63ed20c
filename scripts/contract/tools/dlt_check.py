# Runs the dlt source of web/docs/recipes/dlt for ten nights, and compares its rows with the API's after each: corrections of
# every age, an erased player, names and pseudonyms again; then with another organisation's forks, none, and one that is gone.
# The pipeline must keep no rows in files, and no file that others can read.
# run.sh runs it: python dlt_check.py BASE KEY PSQL DESTINATION
import csv
import datetime as dt
import io
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

import dg_dlt
import dlt
from dlt.pipeline.exceptions import PipelineStepFailed

base, key, psql, destination = sys.argv[1:]
today = dt.datetime.now(dt.timezone.utc).date()


def sql(statement):
    subprocess.run([*psql.split(), "-qc", statement], check=True, stdout=subprocess.DEVNULL)


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


def want(forks):
    for fork in forks:
        text = api(f"/{fork['id']}/exports/csv?from={dg_dlt.START}-01-01&to={today}")
        for row in csv.DictReader(io.StringIO(text, newline="")):
            yield (row["playId"], row["playerLabel"], row["startedAt"][:19], int(row["releaseNumber"] or -1), int(row["durationSeconds"] or -1),
                   row["completed"] == "true", float(row["scorePercent"] or -1), {"true": True, "false": False, "": None}[row["passed"]])


forks = dg_dlt.ask("GET", "")[0].json()["items"]
of_org = f"(select org_id from forks where id = '{forks[0]['id']}')"
nights = {
    4: f"with gone as (select ordinal from players where org_id = {of_org} order by label limit 1), plays as (delete from plays p "
       f"using forks f, gone where f.id = p.fork_id and f.org_id = {of_org} and p.player = gone.ordinal) select 1",
    6: f"update organisations set reporting_mode = 'nominative' where id = {of_org}",
    8: f"update organisations set reporting_mode = 'pseudonymous' where id = {of_org}",
}
for night in range(1, 11):
    sql(nights.get(night, "select 1"))
    sql(f"update plays set score = (score + 137) % 10000 where score is not null and id in (select p.id from plays p "
        f"join forks f on f.id = p.fork_id where f.org_id = {of_org} order by md5(p.id::text || '{night}') limit 15)")
    pipeline = dlt.pipeline(f"night_{destination}", destination=destination, dataset_name="reporting")
    pipeline.run(dg_dlt.dg())
    with pipeline.sql_client() as client:
        rows = client.execute_sql("select play_id, player_label, started_at, coalesce(release_number, -1), coalesce(duration_seconds, -1), "
                                  "completed, coalesce(score_percent, -1), passed from dg_plays")
    got = {(play, label, f"{at.astimezone(dt.timezone.utc):%Y-%m-%dT%H:%M:%S}", *whole, float(score), passed)
           for play, label, at, *whole, score, passed in rows}
    expected = set(want(forks))
    kept = [os.path.join(folder, name) for folder, _, names in os.walk(os.environ["DLT_DATA_DIR"]) for name in names]
    assert kept and not [name for name in kept if "completed_jobs" in name or os.stat(name).st_mode & 0o77], night
    assert len(rows) == len(got) and got == expected, (night, len(got), len(expected), list(got ^ expected)[:4])


def refused(says):
    try:
        pipeline.run(dg_dlt.dg())
        raise SystemExit("not refused: " + says)
    except (PipelineStepFailed, RuntimeError) as failed:
        assert says in str(failed), failed


dg_dlt.START += 1  # with another START, the old copy would keep erased players
refused("start a new copy")
dg_dlt.START -= 1
ask = dg_dlt.ask
for listed, says in (([], "no fork"), ([{**forks[0], "id": "0" * 36}], "another organisation")):
    answer = type("Answer", (), {"json": lambda _, items=listed: {"items": items}})()
    dg_dlt.ask = lambda method, path, **period: ask(method, path, **period) if path else (answer, None)
    refused(says)
answer = type("Answer", (), {"json": lambda _: {"items": forks[1:]}})()
pipeline.run(dg_dlt.dg())
with pipeline.sql_client() as client:
    assert forks[0]["id"] not in [fork for fork, in client.execute_sql("select distinct fork_id from dg_plays")], "a fork that is gone"
dg_dlt.ask, dg_dlt.time.sleep, waits = ask, lambda seconds: waits.append(round(seconds)), []
sent = iter(["Wed, 21 Oct 2099 07:28:00 GMT", "99999999", "-1", "", "Wed, 21 Oct 2015 07:28:00 GMT", "2", "soon"] + ["1"] * 9)
dg_dlt.requests.request = lambda *_, **__: type("Busy", (), {"status_code": 429, "text": dg_dlt.KEY, "headers": {"Retry-After": next(sent)}})()
try:
    ask("GET", "")
except RuntimeError as failed:
    assert dg_dlt.KEY not in str(failed) and waits == [5, 5, 5, 5, 5, 2, 5], waits
print(f"dlt into {destination}: ten nights, {len(got)} rows equal to the API's after each")
