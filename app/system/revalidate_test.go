package system

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/platform/testkit"
)

// curl revalidates both reports by --etag-compare. Python's requests-cache and R's req_cache revalidate
// the statistics.
func TestClientsRevalidateReports(t *testing.T) {
	t.Parallel()
	served := apptest.ServeInProcess(t, testkit.New(t), assembly.Settings{})
	f := served.Fork(testkit.Fork{OrganisationID: served.Organisation(testkit.Organisation{}).ID})
	served.Players(f.OrganisationID, 3)
	served.Plays(f, 30, f.CreatedAt, time.Hour)
	url := served.Base + "/api/v1/forks/" + f.ID
	const period = "?from=2026-01-01&to=2026-01-31"
	header := "'Authorization: Bearer " + served.Key(f.OrganisationID).Token() + "'"
	for client, script := range map[string]string{
		"curl": `for path in stats exports/csv; do for try in 1 2; do
			curl -sS -o body -w '%{http_code} ' --etag-compare tag --etag-save tag \
			  -H ` + header + ` "` + url + `/$path` + period + `"
			done; rm tag; done`,
		"requests-cache": `python3 -c "import sys, requests_cache
s = requests_cache.CachedSession(backend='memory', cache_control=True)
key, value = sys.argv[1].split(': ')
for path in ['stats', 'stats']:
    r = s.get('` + url + `/' + path + '` + period + `', headers={key: value})
    print(r.status_code, r.revalidated, r.json()['plays'], end=' ')" ` + header,
		"httr2": `Rscript -e "library(httr2); a <- strsplit(commandArgs(TRUE), ': ')[[1]]; d <- tempfile()
for (try in 1:2) { said <- capture.output(type = 'message', r <- req_perform(req_cache(req_headers(
    request('` + url + `/stats` + period + `'), Authorization = a[2]), d, debug = TRUE)))
  cat(any(grepl('still ok', said)), grepl('plays.:30,', resp_body_string(r)), '') }" ` + header,
	} {
		t.Run(client, func(t *testing.T) {
			of := map[string][2]string{ // what is needed, what is wanted
				"curl":           {"curl --version", "200 304 200 304 "},
				"requests-cache": {"python3 -c 'import requests_cache'", "200 False 30 200 True 30 "},
				"httr2":          {"Rscript -e 'library(httr2)'", "FALSE TRUE TRUE TRUE "},
			}
			needs, want := of[client][0], of[client][1]
			if out, err := shell(t, needs).CombinedOutput(); err != nil {
				t.Skipf("SKIPPED, NOTHING WAS TESTED: %s: %v %s", needs, err, out)
			}
			c := shell(t, script)
			c.Dir = t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(c.Dir, "tag"), nil, 0o600))
			out, err := c.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, want, string(out))
		})
	}
}
