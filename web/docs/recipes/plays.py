# Reads every play of a fork into a typed table of pandas.
# Needs: pip install requests pandas. Before: export DG_KEY
import datetime as dt
import io
import os
import re
import time

import pandas as pd
import requests

URL = "https://dg.example.org"
FORK = "60772820-1226-4be5-b50f-c2adbe3dca64"
FROM, TO = "2024-01-01", "2026-03-31"
GROUP = ""  # such as 367856ea-0ce4-4434-8f3b-0260cd0f3211; empty: all players

TYPES = {
    "playId": "string", "forkId": "string", "releaseNumber": "Int64", "playerKey": "string", "playerLabel": "string",
    "startedAt": "string", "completedAt": "string", "durationSeconds": "Int64", "completed": "boolean",
    "scorePercent": "Float64", "passed": "boolean", "skills": "string",
}
session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ["DG_KEY"]


def get(path, query):
    for _ in range(8):
        response = session.get(URL + path, params=query, timeout=60)
        if response.status_code in (429, 503):  # too many requests, or busy
            time.sleep(int(response.headers.get("Retry-After", 5)))
            continue
        if not response.ok:
            raise SystemExit(response.text)
        none_left = re.search(r"r=0;t=(\d+)", response.headers.get("RateLimit", ""))
        if none_left:
            time.sleep(int(none_left[1]))
        return response
    raise SystemExit("The service is still busy after 8 attempts.")


def windows(first, last):
    """Cuts a period into parts of at most 366 days."""
    while first <= last:
        end = min(first + dt.timedelta(days=365), last)
        yield first, end
        first = end + dt.timedelta(days=1)


parts = []
for first, last in windows(dt.date.fromisoformat(FROM), dt.date.fromisoformat(TO)):
    query = {"from": first, "to": last} | ({"groupId": GROUP} if GROUP else {})
    response = get(f"/api/v1/forks/{FORK}/exports/csv", query)
    if "X-DG-Report-Suppressed" in response.headers:
        raise SystemExit(f"{first} to {last}: hidden, fewer than 5 members of the group played. This is not zero.")
    # The types hold for a file without rows too. Nobody's name becomes "missing" because it is NA.
    part = pd.read_csv(io.StringIO(response.content.decode()), dtype=TYPES, keep_default_na=False, na_values=[""])
    for column in ("startedAt", "completedAt"):
        part[column] = pd.to_datetime(part[column], utc=True)
    parts.append(part)
plays = pd.concat(parts, ignore_index=True)

# Figures of the whole period come from its plays. A mean of daily means, or a sum of daily players, would be wrong.
print(plays.dtypes)
print(f"{len(plays)} plays, {plays.playerKey.nunique()} players, {plays.completed.sum()} completed, "
      f"average score {plays.scorePercent.mean():.2f}")
# A first chart, with matplotlib: plays.resample("W", on="startedAt").size().plot()
