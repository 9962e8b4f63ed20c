"""Calls each operation with the client that openapi-generator generates for Python."""
import os

import openapi_client
from openapi_client.api.forks_api import ForksApi
from openapi_client.api.reports_api import ReportsApi

configuration = openapi_client.Configuration(host=os.environ["DG_URL"])
configuration.access_token = os.environ["DG_KEY"]
with openapi_client.ApiClient(configuration) as client:
    forks, reports = ForksApi(client), ReportsApi(client)
    listed = forks.list_forks().items
    fork = forks.get_fork(listed[0].id)
    assert fork == listed[0], fork
    stats = reports.get_fork_stats(fork.id, "2026-03-01", "2026-03-31")
    assert stats.daily[0].date.isoformat() == "2026-03-01", stats.daily[0]
    assert fork.created_at.utcoffset() is not None, fork
    csv = reports.export_fork_plays_csv(fork.id, "2026-03-01", "2026-03-31")
    assert stats.plays == len(csv.splitlines()) - 1 > 0, stats.plays
    try:
        forks.get_fork("x")
        raise AssertionError("a fork x")
    except openapi_client.exceptions.ApiException as e:
        assert e.status == 404 and os.environ["DG_NOT_FOUND"] in e.body, e
