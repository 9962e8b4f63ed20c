# Lists the forks with last month's figures, then saves the plays of the first one as plays.csv.
import datetime as dt
import os

import openapi_client
import urllib3
from openapi_client.api.forks_api import ForksApi
from openapi_client.api.reports_api import ReportsApi

configuration = openapi_client.Configuration(host="https://dg.example.org")
configuration.access_token = os.environ["DG_KEY"]
# Too many requests, or busy: urllib3 waits for as long as Retry-After says. The key goes to no other address.
configuration.retries = urllib3.Retry(8, redirect=False, status_forcelist=[429, 503], raise_on_status=False)
client = openapi_client.ApiClient(configuration)
forks, reports = ForksApi(client), ReportsApi(client)

last = dt.datetime.now(dt.timezone.utc).date().replace(day=1) - dt.timedelta(days=1)
period = str(last.replace(day=1)), str(last)

items = forks.list_forks().items
for fork in items:
    stats = reports.get_fork_stats(fork.id, *period)
    print(f"{fork.title}: {stats.plays} plays, {stats.unique_players} players")

response = reports.export_fork_plays_csv(items[0].id, *period, _preload_content=False)
with open("plays.csv.part", "wb") as file:
    for block in response.stream(1 << 16):  # raises where the transfer breaks off
        file.write(block)
os.replace("plays.csv.part", "plays.csv")
