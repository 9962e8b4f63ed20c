# Runs the five statements of web/docs/recipes/other on the PostgreSQL copy of the nightly sync, and compares their sums with the
# copy and the API: python charts_check.py CHARTS.sql CONNECTION BASE KEY
import datetime as dt
import json
import re
import sys
import urllib.request

import psycopg

charts, connection, base, key = sys.argv[1:]
today = dt.datetime.now(dt.timezone.utc).date()
statements = [s for s in re.split(r";\n", open(charts, encoding="utf-8").read()) if "select" in s]
assert len(statements) == 5
with psycopg.connect(connection) as db:
    weeks, forks, skills, scores, last = [db.execute(s).fetchall() for s in statements]
    days = [row[0] for row in db.execute("select (\"startedAt\" at time zone 'UTC')::date from dg_plays").fetchall()]
    plays, completed = db.execute("select count(*), count(*) filter (where completed) from dg_plays").fetchone()
    titles = dict(db.execute("select title, \"forkId\"::text from dg_forks").fetchall())
monday = lambda day: day - dt.timedelta(day.weekday())
first = monday(min(days))
whole = [day for day in days if first < monday(day) < monday(today)]
assert sum(row[1] for row in weeks) == len(whole) and sum(row[1] for row in scores) == completed
assert 0 < len(skills) <= 10 and [row[2] for row in skills] == sorted(row[2] for row in skills)
assert last[0][0] >= last[0][1] > 0
for title, score, rate in forks:
    request = urllib.request.Request(f"{base}/api/v1/forks/{titles[title]}/stats?from={today.year}-01-01&to={today - dt.timedelta(1)}",
                                     headers={"Authorization": "Bearer " + key})
    with urllib.request.urlopen(request) as answer:
        stats = json.load(answer)
    assert abs(float(score) - stats["avgScorePercent"]) < 0.051 and abs(float(rate) - 100 * stats["passRate"]) < 0.056, (title, stats)
print(f"Other tools: five statements on {plays} plays in PostgreSQL; scores and pass rates of {len(forks)} forks equal to the API's")
