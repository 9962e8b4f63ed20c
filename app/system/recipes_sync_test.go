package system

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
)

var syncRecipe = cookedRecipe{
	file:    "sync.py",
	command: "python3 FILE",
	needs:   "python3 -c 'import sqlite3'",
}

// nightly is the sync recipe in a folder, with its key in a file.
type nightly struct {
	folder, text string
}

func newNightly(t *testing.T, text, key string) nightly {
	t.Helper()
	n := nightly{t.TempDir(), text}
	n.setKey(t, key)
	return n
}

func (n nightly) setKey(t *testing.T, key string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(n.folder, "key.txt"), []byte(key+"\n"), 0o600))
}

// run runs it once and returns what it printed, and whether it said that everything is there.
func (n nightly) run(t *testing.T) (out string, whole bool) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(n.folder, "sync.py"), []byte(n.text), 0o600))
	c := exec.CommandContext(t.Context(), "python3", "sync.py")
	c.Dir = n.folder
	c.Env = append(apptest.CleanEnvironment(), "DG_KEY_FILE=key.txt")
	text, err := c.CombinedOutput()
	return string(text), err == nil
}

// query reads one value of its database.
func (n nightly) query(t *testing.T, sql string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "python3", "-c",
		"import sqlite3, sys\nprint(sqlite3.connect('dg.sqlite').execute(sys.argv[1]).fetchone()[0])",
		sql)
	c.Dir = n.folder
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// flaky forwards to dg, lets exports break off, and counts them.
type flaky struct {
	*httptest.Server
	breaks   atomic.Int32           // how many exports are still to break off in the middle
	refuse   func(path string) bool // which exports are refused, if any
	first    sync.Once              // before the first request of a run
	before   func()
	mu       sync.Mutex
	windows  []string // of the exports
	running  atomic.Int32
	together atomic.Int32 // the most that ran at once
}

func newFlaky(t *testing.T, base string) *flaky {
	t.Helper()
	to, err := url.Parse(base)
	require.NoError(t, err)
	f := &flaky{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.first.Do(func() { f.before() })
		if !strings.HasSuffix(r.URL.Path, "/csv") {
			proxy.ServeHTTP(w, r)
			return
		}
		f.mu.Lock()
		f.windows = append(f.windows, r.URL.RawQuery)
		refused := f.refuse != nil && f.refuse(r.URL.Path)
		f.mu.Unlock()
		now := f.running.Add(1)
		defer f.running.Add(-1)
		for most := f.together.Load(); now > most &&
			!f.together.CompareAndSwap(most, now); most = f.together.Load() {
		}
		switch {
		case refused:
			http.Error(w, `{"code": "not-found"}`, http.StatusNotFound)
		case f.breaks.Add(-1) >= 0:
			_, _ = fmt.Fprint(w, "playId,forkId\nhalf a li")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

// The nightly sync has every play up to yesterday, once. It retries a transfer that breaks off,
// reads nothing twice in a day, resumes after a failure, and takes a key that was replaced.
// TestNightlySyncOfSixtyNights has the next nights.
func checkNightlySync(t *testing.T, b *cookbook) {
	syncRecipe.skipIfAbsent(t)
	service := newFlaky(t, b.URL)
	n := newNightly(t, strings.ReplaceAll(b.recipe("nightly-sync"), b.URL, service.URL), b.token)

	n.setKey(t, b.token[:len(b.token)-1]+"!")
	service.before = func() { n.setKey(t, b.token) } // while the run is under way
	service.refuse = func(string) bool { return true }
	out, whole := n.run(t)
	require.False(t, whole, "%s", out)
	require.Contains(t, out, "0 of 6 forks, 0 plays")
	service.refuse = nil

	service.breaks.Store(2)
	out, whole = n.run(t)
	require.True(t, whole, "%s", out)
	require.Contains(t, out, "6 of 6 forks, ")
	require.Equal(t, b.playsUntilYesterday(t), n.query(t, "select count(*) from plays"))
	require.LessOrEqual(t, service.together.Load(), int32(3))
	require.Equal(t, "real integer text",
		n.query(t,
			"select typeof(scorePercent) || ' ' || typeof(completed) || ' ' || typeof(playerKey) "+
				"from plays where completed"))

	service.windows = nil
	_, whole = n.run(t)
	require.True(t, whole)
	require.Empty(t, service.windows, "a finished day is not read again")
}

// Five hundred forks take less than eight minutes, within the rate limit of one key: nothing is
// answered 429 for long.
func TestNightlySyncOfFiveHundredForks(t *testing.T) {
	if !apptest.Soak {
		t.Skip("SKIPPED: it takes five minutes (make soak)")
	}
	t.Parallel()
	syncRecipe.skipIfAbsent(t)
	dir := apptest.NewFolder(t)
	h := apptest.HistoryOf(t, 12, time.Now(),
		demo.Size{Plays: 200_000, Players: 5000, Forks: 500, Days: 300})
	h.ImportInto(t, dir)
	d := apptest.ServeOn(t, dir)
	key := makeKey(t, dir, h.IDs.Organisation.String(), "Nightly").String()
	text := recipeOf(apptest.NewWebClient(t, d.URL), "nightly-sync")
	text = regexp.MustCompile(`START = "[^"]*"`).
		ReplaceAllString(text, `START = "`+time.Now().AddDate(0, 0, -305).Format(time.DateOnly)+`"`)
	n := newNightly(t, text, key)
	begun := time.Now()
	out, whole := n.run(t)
	took := time.Since(begun)
	t.Logf("%s: %s", took.Round(time.Second), strings.TrimSpace(out))
	require.True(t, whole, "%s", out)
	require.Regexp(t, `500 of 500 forks, 199\d\d\d plays`, out, "all but those of today")
	require.Less(t, took, 8*time.Minute)
}

// playsUntilYesterday counts the plays of all forks of the reader's organisation.
func (b *cookbook) playsUntilYesterday(t *testing.T) string {
	t.Helper()
	return fmt.Sprint(apptest.Read[int](t, b.db,
		`select count(*) from plays p join forks f on f.id = p.fork_id join organisations o on o.id = f.org_id
		where o.slug = 'harbour-and-vale' and p.started_at < $1`,
		time.Now().UTC().Truncate(24*time.Hour)))
}
