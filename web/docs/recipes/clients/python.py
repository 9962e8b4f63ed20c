# Lists the forks with last month's figures, then saves the plays of the first one as plays.csv.
import datetime as dt
import os
import re
import sys

import openapi_client
import urllib3
from openapi_client.api.forks_api import ForksApi
from openapi_client.api.reports_api import ReportsApi

configuration = openapi_client.Configuration(host="https://dg.example.org")
key = os.environ.get("DG_KEY", "").strip("\ufeff \t\r\n")
if not re.fullmatch(r"dg_live_[0-9A-Za-z_]+", key):
    raise SystemExit("DG_KEY must be dg_live_<id>_<secret>: one line of ASCII, without quotes.")
configuration.access_token = key


class Patient(urllib3.Retry):
    def parse_retry_after(self, text):  # text has seconds, or a date within an hour. Anything else means five seconds
        if re.fullmatch(r"\d{1,4}(\.\d+)?", text):
            return float(text)
        try:
            seconds = super().parse_retry_after(text)  # 0 of a date that is over
        except (ValueError, OverflowError, urllib3.exceptions.InvalidHeader):
            seconds = 0
        return seconds if 0 < seconds <= 3600 else 5

    def get_retry_after(self, response):
        return self.parse_retry_after(response.headers.get("Retry-After", ""))


# Too many requests, or busy. The key goes to no other address.
configuration.retries = Patient(7, redirect=False, status_forcelist=[429, 503], raise_on_status=False)
sys.stdout.reconfigure(errors="replace")  # a title that the terminal cannot show
client = openapi_client.ApiClient(configuration)
forks, reports = ForksApi(client), ReportsApi(client)

last = dt.datetime.now(dt.timezone.utc).date().replace(day=1) - dt.timedelta(days=1)
period = str(last.replace(day=1)), str(last)

try:
    items = forks.list_forks(_request_timeout=60).items
    if not items:
        raise SystemExit("There is no fork yet.")
    plays = None  # of the first fork
    for fork in items:
        stats = reports.get_fork_stats(fork.id, *period, _request_timeout=60)
        plays = stats.plays if plays is None else plays
        print(f"{fork.title}: {stats.plays} plays, {stats.unique_players} players")
    response = reports.export_fork_plays_csv(items[0].id, *period, _preload_content=False, _request_timeout=60)
    with open("plays.csv.part", "wb") as file:
        for block in response.stream(1 << 16, decode_content=True):
            file.write(block)
except openapi_client.ApiException as error:
    raise SystemExit(f"{error.status} {str(error.body).replace(key, '…')[:500]!r}") from None
except urllib3.exceptions.HTTPError as error:
    raise SystemExit(f"No answer, or it broke off: {error}") from None
except ValueError:
    raise SystemExit("The answer is not the service's: is a proxy or a sign-in page in between?") from None

with open("plays.csv.part", "rb") as file:
    rows = file.readlines()  # no cell has a line end, and the last row ends with one
if not rows or not rows[0].startswith(b"playId,forkId,releaseNumber,playerKey,playerLabel,startedAt,"):
    raise SystemExit("The answer is no export: its header row is another one.")
if not rows[-1].endswith(b"\n") or len(rows) - 1 != plays:
    raise SystemExit("Rows are missing or cut, or a play came in between: run it again.")
os.replace("plays.csv.part", "plays.csv")
