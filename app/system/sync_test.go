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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/modules/reports/sealer"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// nightlySync copies the changing plays of an organisation each night through a proxy, with a program of /docs.
type nightlySync struct {
	*testkit.World
	t         *testing.T
	url       string // URL of the proxy
	org       string
	forks     []testkit.Fork
	keys      []testkit.Key
	sealer    *sealer.Sealer
	random    *rand.Rand
	program   string
	folder    string
	night     time.Time
	requests  int
	interfere func(forward func()) // changes or breaks the forwarding of an export
}

func newNightlySync(t *testing.T, forks int) *nightlySync {
	served := apptest.ServeInProcess(t, testkit.New(t), assembly.Settings{})
	n := &nightlySync{World: served.World, t: t, random: rand.New(rand.NewPCG(1, 2)), folder: t.TempDir()}
	n.program = apptest.ReadFile(t, apptest.RepositoryPath("web/docs/recipes/sync.py"))
	n.night = time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC) // the copy spans three calendar years
	n.url = n.proxy(served.BaseURL)
	n.org = n.AddOrganisation(testkit.Organisation{}).ID
	n.AddPlayers(n.org, 600)
	for i := range forks {
		f := n.AddFork(testkit.Fork{OrganisationID: n.org, Slug: fmt.Sprint("fork-", i)})
		n.forks = append(n.forks, f)
		n.AddPlays(f, 750, time.Date(2024, 1, 3, 5, 0, 0, 0, time.UTC), 24*time.Hour)
	}
	for range 20 {
		n.keys = append(n.keys, n.AddKey(n.org))
	}
	n.sealer = sealer.New(served.DB, time.Now, slog.New(slog.DiscardHandler))
	n.sealer.MinPlays = 0
	return n
}

// proxy forwards one request after the other. It rotates the keys, because of their rate limit.
func (n *nightlySync) proxy(base string) string {
	target := tb.Must(url.Parse(base))(n.t)
	var mutex sync.Mutex
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.ModifyResponse = func(r *http.Response) error {
		r.Header.Del("RateLimit")
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		if n.requests++; n.requests%1000 == 0 {
			n.Exec(`delete from api_key_windows`)
		}
		r.Header.Set("Authorization", "Bearer "+n.keys[n.requests%len(n.keys)].Token())
		serve := func() { forward.ServeHTTP(w, r) }
		if n.interfere != nil && r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/csv") {
			n.interfere(serve)
		} else {
			serve()
		}
	}))
	n.t.Cleanup(server.Close)
	return server.URL
}

// changePlays adds the plays of a day, corrects plays of any age, and sometimes erases a player.
func (n *nightlySync) changePlays() {
	for i, f := range n.forks {
		if i%4 > 0 && n.random.IntN(6) > 0 {
			continue // only every fourth fork has plays each day
		}
		n.AddPlays(f, 1+n.random.IntN(3), n.night.Add(-15*time.Hour), time.Minute)
	}
	f := n.forks[n.random.IntN(len(n.forks))]
	n.Exec(`update plays set score = 10000 - score where id in (select id from plays
		where fork_id = $1 and score <> 5000 order by md5(id::text || $2) limit 2)`, f.ID, n.night.String())
	n.AddPlays(f, 1, n.night.AddDate(0, 0, -1-n.random.IntN(700)), time.Minute) // a play that arrives late
	if n.random.IntN(10) == 0 {
		n.Exec(`delete from players where id = (select id from players where org_id = $1
			order by md5(id::text || $2) limit 1)`, n.org, n.night.String())
	}
	if n.random.IntN(2) == 0 {
		tb.Must(n.sealer.Seal(n.t.Context()))(n.t)
	}
}

// requireExit runs the program with the night's date, one fork at a time, and requires its exit status and output.
func (n *nightlySync) requireExit(status int, message string) {
	text := strings.NewReplacer("https://dg.example.org", n.url,
		"dt.datetime.now(dt.timezone.utc).date()", "dt.date.fromisoformat("+n.night.Format(`"2006-01-02"`)+")",
		"range(8)", "range(1)", "EXPORTS = 3", "EXPORTS = 1").Replace(n.program)
	syncRecipe := recipe{file: "sync.py", command: "python3 sync.py --dest csv --to copy"}
	out, exit := syncRecipe.run(n.t, n.folder, text, n.keys[0].Token())
	require.Equal(n.t, status, exit, out)
	require.Contains(n.t, out, message)
}

func rowsOfCSV(text string) []string { return strings.Split(strings.TrimSpace(text), "\n")[1:] }

func (n *nightlySync) requireEqualCopy() {
	for _, f := range n.forks {
		var want []string
		for year := 2024; year <= n.night.Year(); year++ {
			last := min(fmt.Sprintf("%d-12-31", year), n.night.AddDate(0, 0, -1).Format(time.DateOnly))
			file := apptest.ReadAll(n.t, apptest.Get(n.t, apptest.NewClient(), fmt.Sprintf(
				"%s/api/v1/forks/%s/exports/csv?from=%d-01-01&to=%s", n.url, f.ID, year, last), ""))
			want = append(want, rowsOfCSV(file)...)
		}
		got := rowsOfCSV(apptest.ReadFile(n.t, n.folder, "copy", "plays", f.ID+".csv"))
		require.Equal(n.t, want, got, "%s: %s", n.night, f.Slug)
	}
}

// After each night, the copy equals the exports, whatever changed or failed. Only changed months are read again.
func TestNightlySyncCopiesEveryChange(t *testing.T) {
	t.Parallel()
	n := newNightlySync(t, apptest.PickSize(2, 2, 20))
	copies := filepath.Join(n.folder, "copy", "plays")
	setMode := func(mode string) { n.Exec(`update organisations set reporting_mode = $1`, mode) }
	for i := range apptest.PickSize(9, 9, 30) {
		n.changePlays()
		switch i {
		case 3: // the reporting mode changes between HEAD and GET
			n.interfere = func(forward func()) {
				setMode("nominative")
				forward()
				setMode("pseudonymous")
			}
		case 4: // one copy is truncated, another is deleted
			require.NoError(t, os.Truncate(filepath.Join(copies, n.forks[0].ID+".csv"), 500))
			require.NoError(t, os.Remove(filepath.Join(copies, n.forks[1].ID+".csv")))
		case 5: // transfers break off
			n.interfere = func(func()) { panic(http.ErrAbortHandler) }
		case 6:
			setMode("nominative")
		case 7:
			setMode("pseudonymous")
		}
		if n.interfere != nil {
			n.requireExit(1, "")
			names, _ := exec.CommandContext(t.Context(), "grep", "-rl", "Player ", copies).Output()
			require.Empty(t, string(names), "a copy under pseudonyms has names")
			n.interfere = nil
		}
		n.requireExit(0, "")
		n.requireEqualCopy()
		n.night = n.night.AddDate(0, 0, 1)
	}
	exports := func() int { return n.CountRows(`audit_entries where action = 'export.started'`) }
	before := exports() // the next night has no changes
	n.requireExit(0, "")
	require.Equal(t, before, exports(), "no month differs")
	n.program = strings.Replace(n.program, `START = "2024-01`, `START = "2024-06`, 1)
	n.requireExit(2, "the copy has plays before 2024-06-01")
	require.Contains(t, apptest.ReadFile(t, n.folder, "copy", "tags.csv"), ",2024-01,")
}

// With the key of another organisation, or of one without forks, the sync does not change the copy.
func TestNightlySyncCopiesOneOrganisation(t *testing.T) {
	t.Parallel()
	n := newNightlySync(t, 2)
	n.Exec(`update forks set title = ' =1+1;"+2' where id = $1`, n.forks[1].ID)
	copiedFiles := func() []string {
		return tb.Must(filepath.Glob(filepath.Join(n.folder, "copy", "plays", "*")))(t)
	}
	n.requireExit(0, "")
	require.Len(t, copiedFiles(), 2)
	require.Contains(t, apptest.ReadFile(t, n.folder, "copy", "forks.csv"), `"' =1+1;'""+2"`)

	keys := n.keys
	otherOrg := n.AddOrganisation(testkit.Organisation{}).ID
	n.keys = []testkit.Key{n.AddKey(otherOrg)}
	n.requireExit(3, "no fork, nothing is deleted")
	n.AddFork(testkit.Fork{OrganisationID: otherOrg})
	n.requireExit(2, "is it another organisation's?")
	require.Len(t, copiedFiles(), 2)

	n.keys = keys
	n.Exec(`delete from plays where fork_id = $1`, n.forks[0].ID)
	n.Exec(`delete from forks where id = $1`, n.forks[0].ID)
	n.requireExit(0, "")
	require.Equal(t, []string{filepath.Join(n.folder, "copy", "plays", n.forks[1].ID+".csv")}, copiedFiles())
}
