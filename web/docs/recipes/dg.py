# Reads all forks into three tables of pandas, forks, daily and plays, joined by forkId, and draws dg.png.
# Needs Python 3.9 or later, and: python3 -m venv venv && venv/bin/pip install matplotlib pandas requests. Before: export DG_KEY. Run: venv/bin/python3 dg.py
import csv
import datetime as dt
import email.utils
import io
import os
import re
import sys
import time

import matplotlib.pyplot as plt
import pandas as pd
import requests

URL = "https://dg.example.org"
FROM = dt.date.fromisoformat("2025-04-01")  # the first UTC day; the last is today
ZONE = "Europe/Paris"  # your time zone, to which times of plays are converted
FORK = ""  # such as "60772820-1226-4be5-b50f-c2adbe3dca64"; empty for all forks
GROUP = ""  # such as "367856ea-0ce4-4434-8f3b-0260cd0f3211"; empty for all players

TYPES = {
    "playId": "string", "forkId": "string", "releaseNumber": "Int64", "playerKey": "string", "playerLabel": "string",
    "startedAt": "string", "completedAt": "string", "durationSeconds": "Int64", "completed": "boolean",
    "scorePercent": "Float64", "passed": "boolean", "skills": "string",
}
HEADER = "playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,"
if not re.match(r"https://|http://(localhost|127\.0\.0\.1|\[::1])(:[0-9]+)?(/|$)", URL):
    raise SystemExit("URL must begin with https://")
KEY = os.environ.get("DG_KEY", "").strip("\ufeff \t\r\n")
if not re.fullmatch(r"dg_live_[0-9A-Za-z_]+", KEY):
    raise SystemExit("DG_KEY must be dg_live_<id>_<secret>: one line of ASCII, without quotes.")
hasattr(sys.stdout, "reconfigure") and sys.stdout.reconfigure(errors="replace")  # a title that the terminal cannot show
session = requests.Session()
session.auth = lambda request: request.headers.update(Authorization="Bearer " + KEY) or request  # replaces the credentials of .netrc


def after(text):  # Retry-After has seconds, or a date within an hour. Anything else means five seconds
    if re.fullmatch(r"\d{1,4}(\.\d+)?", text):
        return float(text)
    date = email.utils.parsedate_tz(text)
    seconds = email.utils.mktime_tz(date) - time.time() if date and date[0] < 9000 else -1
    return seconds if 0 <= seconds <= 3600 else 5


def get(path, query=None):
    for attempt in range(1, 9):  # a transfer that breaks off ends the run, and the key goes to no other address
        try:
            response = session.get(URL + path, params=query, timeout=60, allow_redirects=False,
                                   proxies={"http": ""})  # no proxy may see the unencrypted key
        except requests.RequestException as error:
            raise SystemExit(f"{path}: {error}")
        if response.status_code in (429, 503) and attempt < 8:  # too many requests, or busy
            time.sleep(after(response.headers.get("Retry-After", "")))
            continue
        if response.status_code != 200:
            raise SystemExit(f"{path}: {response.status_code} {response.text.replace(KEY, '…')[:500]!r}")
        if not re.match("application/json|text/csv", response.headers.get("Content-Type", "")):
            raise SystemExit("The answer is not the service's: is a proxy or a sign-in page in between?")
        none_left = re.search(r"r=0;t=(\d+)", response.headers.get("RateLimit", ""))
        if none_left:
            time.sleep(int(none_left[1]))
        return response


def export(fork, query, plays):
    for _ in range(2):  # again if the numbers differ: a play may have come in between
        text = get(f"/api/v1/forks/{fork}/exports/csv", query).content.decode()
        rows = list(csv.reader(io.StringIO(text, newline="")))
        if not text.startswith(HEADER) or not text.endswith("\n") or any(len(row) != len(rows[0]) for row in rows):
            break
        if len(rows) - 1 == plays:
            return text
        stats = get(f"/api/v1/forks/{fork}/stats", query).json()
        plays = None if stats["suppressed"] else stats["plays"]  # a group hidden meanwhile has no count
    raise SystemExit(f"{fork}, {query}: rows are missing or cut, or the answer is no export.")


# A request covers at most 366 days.
today = dt.datetime.now(dt.timezone.utc).date()
starts = [FROM + dt.timedelta(days=n) for n in range(0, (today - FROM).days + 1, 366)]
periods = [{"from": first, "to": min(first + dt.timedelta(days=365), today)} for first in starts]

forks = pd.DataFrame(get("/api/v1/forks").json()["items"]).rename(columns={"id": "forkId"})
forks = forks[forks.forkId == FORK] if FORK else forks
days, shown, hidden = [], [], []
for fork in forks.itertuples():
    for period in periods:
        query = period | ({"groupId": GROUP} if GROUP else {})
        stats = get(f"/api/v1/forks/{fork.forkId}/stats", query).json()
        (hidden if stats["suppressed"] else shown).append((fork.forkId, query, stats["plays"]))
        days += [{"forkId": fork.forkId, **day} for day in stats["daily"]]
        if stats["suppressed"]:
            print(f"{fork.title}, {period['from']} to {period['to']}: hidden, fewer than 5 members of the group played. This is not zero.")
if not shown:
    raise SystemExit("Nothing is shown: check the first day, the fork and the group.")
forks["hidden"] = forks.forkId.isin([fork for fork, *_ in hidden])
forks["deployedReleaseNumber"] = forks.deployedReleaseNumber.astype("Int64")  # empty where there is none
for column in ("createdAt", "updatedAt"):
    forks[column] = pd.to_datetime(forks[column], utc=True).dt.tz_convert(ZONE)
daily = pd.DataFrame(days)
daily["date"] = pd.to_datetime(daily.date)
daily.loc[daily.plays == 0, "avgScorePercent"] = None  # a day without plays has no average

# The chart, before the plays are read: the seven forks with most plays, by week. The first and last week, which may be incomplete, are left out.
most = daily.groupby("forkId").plays.sum().nlargest(7).index
weeks = daily.pivot_table(index=daily.date.dt.to_period("W").dt.start_time, columns="forkId", values="plays", aggfunc="sum")
titles = " " + forks.set_index("forkId").title.str.replace("$", r"\$", regex=False)  # no formula, and none hidden by its underscore
whole = weeks[most].rename(columns=titles).iloc[1:-1]
if whole.sum().sum() > 0:  # a hidden week is a gap
    chart = whole.plot(figsize=(5, 4.2), xlabel="", title="Plays per week (UTC)")
    chart.legend(title=None, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.15))
    plt.tight_layout()
    plt.savefig("dg.part.png", dpi=200)
    os.replace("dg.part.png", "dg.png")  # a full disk leaves the chart as it was
    print(f"dg.png: {len(forks)} forks, {daily.plays.sum()} plays")
else:
    print("Nothing to draw: no whole week has plays.")

parts = []
for fork, query, count in shown:
    # The types hold for a file without rows too. Nobody's name becomes "missing" because it is NA.
    part = pd.read_csv(io.StringIO(export(fork, query, count)), dtype=TYPES, keep_default_na=False, na_values=[""])
    for column in ("startedAt", "completedAt"):
        part[column] = pd.to_datetime(part[column], utc=True).dt.tz_convert(ZONE)
    parts.append(part)
plays = pd.concat(parts, ignore_index=True)

# Figures of the whole period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
print(plays.dtypes)
print(f"{len(forks)} forks, {len(plays)} plays, {plays.playerKey.nunique()} players, {plays.completed.sum()} completed, "
      f"average score {plays.scorePercent.mean():.2f}")
hours = plays.startedAt.dt.hour.value_counts().sort_index()
if len(plays):
    print(f"most plays start at {hours.idxmax():02}:00 ({ZONE}): {hours.max()}")
