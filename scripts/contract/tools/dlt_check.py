# Runs the dlt source of web/docs/recipes/dlt for ten nights, and compares its rows with the API's after each: corrections of
# every age, an erased player, names and pseudonyms again. run.sh runs it: python dlt_check.py BASE KEY PSQL DESTINATION
import csv
import datetime as dt
import io
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
            yield row["playId"], row["playerLabel"], float(row["scorePercent"] or -1), row["passed"]


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
        rows = client.execute_sql("select play_id, player_label, coalesce(score_percent, -1), passed from dg_plays")
    got = {(str(play), label, float(score), str(passed or "").lower()) for play, label, score, passed in rows}
    expected = set(want(forks))
    assert len(rows) == len(got) and got == expected, (night, len(got), len(expected), list(got ^ expected)[:4])
dg_dlt.START += 1
try:
    pipeline.run(dg_dlt.dg())
    raise SystemExit("a later START keeps erased players")
except PipelineStepFailed as failed:
    assert "start a new copy" in str(failed)
print(f"dlt into {destination}: ten nights, {len(got)} rows equal to the API's after each")
