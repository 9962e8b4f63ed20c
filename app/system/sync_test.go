package system

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/modules/reports/sealer"
	"dg/platform/testkit"
)

// nights is an organisation whose plays change. Night after night, a program of /docs copies them
// through a proxy that may interfere.
type nights struct {
	*testkit.World
	t      *testing.T
	url    string // of the service
	org    string
	forks  []testkit.Fork
	keys   []testkit.Key
	sealer *sealer.Sealer
	random *rand.Rand

	mu            sync.Mutex
	requests      int
	abortResponse func(r *http.Request) bool // true aborts the response
	afterResponse func()                     // of one answer
}

const firstNight = "2026-01-20" // the copy spans three calendar years

func newNights(t *testing.T, forks int) *nights {
	served := apptest.ServeInProcess(t, testkit.New(t), assembly.Settings{})
	n := &nights{World: served.World, t: t, url: served.Base, random: rand.New(rand.NewPCG(1, 2))}
	n.org = n.Organisation(testkit.Organisation{}).ID
	n.Players(n.org, 600)
	for i := range forks {
		f := n.Fork(testkit.Fork{OrganisationID: n.org, Slug: fmt.Sprint("fork-", i)})
		n.forks = append(n.forks, f)
		n.Plays(f, 750, time.Date(2024, 1, 3, 5, 0, 0, 0, time.UTC), 24*time.Hour)
	}
	for range 20 {
		n.keys = append(n.keys, n.Key(n.org))
	}
	n.sealer = sealer.New(served.DB, time.Now, slog.New(slog.DiscardHandler))
	n.sealer.MinPlays = 0
	return n
}

// proxy forwards requests. It rotates the keys, because of their rate limit.
func (n *nights) proxy() string {
	target, err := url.Parse(n.url)
	require.NoError(n.t, err)
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.ModifyResponse = func(r *http.Response) error {
		r.Header.Del("RateLimit")
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		n.requests++
		key := n.keys[n.requests%len(n.keys)]
		var after func()
		if n.abortResponse != nil {
			if n.abortResponse(r) {
				n.mu.Unlock()
				panic(http.ErrAbortHandler)
			}
			after, n.afterResponse = n.afterResponse, nil
		}
		n.mu.Unlock()
		if n.requests%1000 == 0 {
			n.Exec(`delete from api_key_windows`)
		}
		r.Header.Set("Authorization", "Bearer "+key.Token())
		forward.ServeHTTP(w, r)
		if after != nil {
			after()
		}
	}))
	n.t.Cleanup(server.Close)
	return server.URL
}

// change adds the plays of a day, corrects plays of any age, and sometimes erases a player.
func (n *nights) change(night time.Time) {
	yesterday := night.AddDate(0, 0, -1)
	for i, f := range n.forks {
		if i%4 > 0 && n.random.IntN(6) > 0 {
			continue // every fourth fork has plays each day
		}
		n.Plays(f, 1+n.random.IntN(3), yesterday.Add(9*time.Hour), time.Minute)
	}
	f := n.forks[n.random.IntN(len(n.forks))]
	n.Exec(`update plays set score = 10000 - score where id in (select id from plays
		where fork_id = $1 and score <> 5000 order by md5(id::text || $2) limit 2)`, f.ID, night.String())
	n.Plays(f, 1, night.AddDate(0, 0, -1-n.random.IntN(700)), time.Minute) // late
	if n.random.IntN(10) == 0 {
		n.Exec(`delete from players where id = (select id from players where org_id = $1
			order by md5(id::text || $2) limit 1)`, n.org, night.String())
	}
	if n.random.IntN(2) == 0 {
		_, err := n.sealer.Seal(n.t.Context())
		require.NoError(n.t, err)
	}
}

// sync runs the program with the date of the night.
func (n *nights) sync(program, folder, url string, night time.Time) (string, error) {
	text := strings.NewReplacer("https://dg.example.org", url,
		"dt.datetime.now(dt.timezone.utc).date()", "dt.date.fromisoformat("+night.Format(`"2006-01-02"`)+")",
		"range(8)", "range(1)", "EXPORTS = 3", "EXPORTS = 1").Replace(program) // one fork at a time
	require.NoError(n.t, os.WriteFile(filepath.Join(folder, "sync.py"), []byte(text), 0o600))
	require.NoError(n.t, os.WriteFile(filepath.Join(folder, "key.txt"), []byte(n.keys[0].Token()), 0o600))
	c := exec.CommandContext(n.t.Context(), "python3", "sync.py", "--dest", "csv", "--to", "copy")
	c.Dir = folder
	c.Env = append(os.Environ(), "DG_KEY_FILE=key.txt")
	out, err := c.CombinedOutput()
	return string(out), err
}

// requireEqual requires that the copy equals the exports of the service.
func (n *nights) requireEqual(folder string, night time.Time) {
	for _, f := range n.forks {
		var want []string
		for year := 2024; year <= night.Year(); year++ {
			last := fmt.Sprintf("%d-12-31", year)
			if year == night.Year() {
				last = night.AddDate(0, 0, -1).Format(time.DateOnly)
			}
			n.Exec(`delete from api_key_windows where key_id = $1`, n.keys[0].ID)
			file := apptest.ReadAll(n.t, apptest.Ask(n.t, apptest.NewClient(), fmt.Sprintf(
				"%s/api/v1/forks/%s/exports/csv?from=%d-01-01&to=%s", n.url, f.ID, year, last), n.keys[0].Token()))
			want = append(want, strings.Split(strings.TrimSpace(file), "\n")[1:]...)
		}
		file, err := os.ReadFile(filepath.Join(folder, "copy", "plays", f.ID+".csv"))
		require.NoError(n.t, err)
		got := strings.Split(strings.TrimSpace(string(file)), "\n")[1:]
		require.Equal(n.t, want, got, "%s: %s", night, f.Slug)
	}
}

func isExport(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/csv")
}

// After each night, the copy equals the exports. The nights include late plays, corrections,
// erasures, a change of labels between HEAD and GET, aborted transfers and damaged copies. After a
// change of the reporting mode the sync reads everything, otherwise only changed months. It refuses
// a later first day, which would delete plays or keep erased ones.
func TestNightlySyncCopiesEveryChange(t *testing.T) {
	t.Parallel()
	forks, count := 2, 9
	if os.Getenv("DG_SOAK") != "" {
		forks, count = 20, 30
	}
	n := newNights(t, forks)
	url := n.proxy()
	program, err := os.ReadFile(apptest.InTree("web/docs/recipes/sync.py"))
	require.NoError(t, err)
	folder := t.TempDir()
	night, err := time.Parse(time.DateOnly, firstNight)
	require.NoError(t, err)
	mode := func(mode string) { n.Exec(`update organisations set reporting_mode = $1`, mode) }
	run := func() (string, error) { return n.sync(string(program), folder, url, night) }
	for i := range count {
		n.change(night)
		failing := false
		switch i {
		case 3: // the reporting mode changes between HEAD and GET
			failing = true
			n.abortResponse = func(r *http.Request) bool {
				if isExport(r) && n.afterResponse == nil && failing {
					failing = false
					mode("nominative")
					n.afterResponse = func() { mode("pseudonymous") }
				}
				return false
			}
		case 4: // one copy is truncated, another is deleted
			copies := filepath.Join(folder, "copy", "plays")
			require.NoError(t, os.Truncate(filepath.Join(copies, n.forks[0].ID+".csv"), 500))
			require.NoError(t, os.Remove(filepath.Join(copies, n.forks[1].ID+".csv")))
		case 5: // transfers break off
			n.abortResponse = isExport
		case 6:
			mode("nominative")
		case 7:
			mode("pseudonymous")
		}
		if n.abortResponse != nil {
			out, err := run()
			require.ErrorContains(t, err, "exit status 1", "%s", out)
			names, _ := exec.CommandContext(t.Context(), "grep", "-rl", "Player ",
				filepath.Join(folder, "copy", "plays")).Output()
			require.Empty(t, string(names), "a copy under pseudonyms has names")
			n.abortResponse = nil
		}
		out, err := run()
		require.NoError(t, err, "%s", out)
		n.requireEqual(folder, night)
		night = night.AddDate(0, 0, 1)
	}
	exports := func() int { return n.Count(`audit_entries where action = 'export.started'`) }
	before := exports() // then a night without changes
	out, err := run()
	require.NoError(t, err, "%s", out)
	require.Equal(t, before, exports(), "no month differs")
	later := strings.Replace(string(program), `START = "2024-01`, `START = "2024-06`, 1)
	out, err = n.sync(later, folder, url, night.AddDate(0, 0, 1))
	require.ErrorContains(t, err, "exit status 2", "%s", out)
	require.Contains(t, out, "the copy has plays before 2024-06-01")
	var months []string
	tags, err := os.ReadFile(filepath.Join(folder, "copy", "tags.csv"))
	require.NoError(t, err)
	for _, row := range strings.Split(strings.TrimSpace(string(tags)), "\n")[1:] {
		months = append(months, strings.Split(row, ",")[1])
	}
	slices.Sort(months)
	require.Equal(t, "2024-01", months[0])
}

// A copy belongs to one organisation. The sync changes nothing if the key belongs to another
// organisation, or to one without forks. It deletes the plays of a deleted fork. A title that is a
// formula gets an apostrophe.
func TestNightlySyncCopiesOneOrganisation(t *testing.T) {
	t.Parallel()
	n := newNights(t, 2)
	n.Exec(`update forks set title = ' =1+1;"+2' where id = $1`, n.forks[1].ID)
	program, err := os.ReadFile(apptest.InTree("web/docs/recipes/sync.py"))
	require.NoError(t, err)
	night, err := time.Parse(time.DateOnly, firstNight)
	require.NoError(t, err)
	folder := t.TempDir()
	run := func() (string, error) { return n.sync(string(program), folder, n.url, night) }
	stored := func() []string {
		names, err := filepath.Glob(filepath.Join(folder, "copy", "plays", "*"))
		require.NoError(t, err)
		return names
	}
	out, err := run()
	require.NoError(t, err, "%s", out)
	require.Len(t, stored(), 2)
	list, err := os.ReadFile(filepath.Join(folder, "copy", "forks.csv"))
	require.NoError(t, err)
	require.Contains(t, string(list), `"' =1+1;'""+2"`)

	key := n.keys[0]
	other := n.Organisation(testkit.Organisation{}).ID
	n.keys[0] = n.Key(other)
	out, err = run()
	require.ErrorContains(t, err, "exit status 3", "%s", out)
	require.Contains(t, out, "no fork, nothing is deleted")
	n.Fork(testkit.Fork{OrganisationID: other})
	out, err = run()
	require.ErrorContains(t, err, "exit status 2", "%s", out)
	require.Contains(t, out, "is it another organisation's?")
	require.Len(t, stored(), 2)

	n.keys[0] = key
	n.Exec(`delete from plays where fork_id = $1`, n.forks[0].ID)
	n.Exec(`delete from forks where id = $1`, n.forks[0].ID)
	out, err = run()
	require.NoError(t, err, "%s", out)
	require.Equal(t, []string{filepath.Join(folder, "copy", "plays", n.forks[1].ID+".csv")}, stored())
}

// curl revalidates both reports with --etag-compare. Python's requests-cache and R's req_cache
// revalidate the statistics.
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
			of := map[string][2]string{ // the required command, and the expected output
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
