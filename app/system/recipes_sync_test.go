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
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

var syncRecipe = cookedRecipe{file: "sync.py", needs: "python3 --version"}

// nightly is the sync recipe in a folder, with its key in a file.
type nightly struct {
	folder, text string
}

func newNightly(t *testing.T, text, key string) nightly {
	t.Helper()
	n := nightly{folder: t.TempDir(), text: text}
	n.setKey(t, key)
	return n
}

func (n nightly) setKey(t *testing.T, key string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(n.folder, "key.txt"), []byte(key+"\n"), 0o600))
}

// run copies into files once. It returns what it logged, and its exit code.
func (n nightly) run(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(n.folder, "sync.py"), []byte(n.text), 0o600))
	c := exec.CommandContext(t.Context(), "python3",
		append([]string{"sync.py", "--dest", "csv", "--to", "copy"}, args...)...)
	c.Dir = n.folder
	c.Env = append(apptest.CleanEnvironment(), "DG_KEY_FILE=key.txt")
	text, err := c.CombinedOutput()
	if err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return string(text), c.ProcessState.ExitCode()
}

// plays counts the rows of its files.
func (n nightly) plays(t *testing.T) (count int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(n.folder, "copy/plays/*.csv"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		count += len(readCSV(t, string(text))) - 1
	}
	return count
}

// flaky is a proxy in front of dg that breaks exports off and counts requests.
type flaky struct {
	*httptest.Server
	breaks   atomic.Int32           // how many exports are still to break off in the middle
	refuse   func(path string) bool // which exports are refused, if any
	first    sync.Once              // before the first request of a run
	before   func()
	keys     []string // replace the caller's key in turn, because many nights pass in a minute
	mu       sync.Mutex
	requests int
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
		f.mu.Lock()
		f.requests++
		if len(f.keys) > 0 {
			r.Header.Set("Authorization", "Bearer "+f.keys[f.requests%len(f.keys)])
		}
		f.mu.Unlock()
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
	b.forgetRequests(t)
	service := newFlaky(t, b.URL)
	n := newNightly(t, strings.ReplaceAll(b.recipe("nightly-sync"), b.URL, service.URL), b.token)

	wrong := b.token[:len(b.token)-1] + "!"
	n.setKey(t, wrong)
	service.before = func() {}
	out, code := n.run(t)
	require.Equal(t, 3, code, "%s", out)
	require.Contains(t, out, "the key is refused: 401")
	out, code = n.run(t, "--since", "yesterday")
	require.Equal(t, 2, code, "%s", out)
	n.setKey(t, "\xff\xfed\x00g\x00") // UTF-16
	out, code = n.run(t)
	require.Equal(t, 3, code, "%s", out)
	require.Contains(t, out, "its file is not one line of ASCII text")
	require.NoError(t, os.Remove(filepath.Join(n.folder, "key.txt")))
	out, code = n.run(t)
	require.Equal(t, 2, code, "%s", out)
	require.Contains(t, out, "key.txt")
	n.setKey(t, wrong)

	service.first = sync.Once{}
	// while the run is under way, by an editor that begins with a byte order mark
	service.before = func() { n.setKey(t, "\ufeff"+b.token) }
	service.refuse = func(string) bool { return true }
	out, code = n.run(t)
	require.Equal(t, 1, code, "%s", out)
	require.Contains(t, out, "0 of 6 forks, 0 plays")
	service.refuse = nil

	service.breaks.Store(2)
	out, code = n.run(t)
	require.Zero(t, code, "%s", out)
	require.Contains(t, out, "6 of 6 forks, ")
	require.Equal(t, b.playsUntilYesterday(t), n.plays(t))
	require.LessOrEqual(t, service.together.Load(), int32(3))

	service.windows = nil
	out, code = n.run(t)
	require.Zero(t, code, "%s", out)
	require.Empty(t, service.windows, "a finished day is not read again")

	b.db.Do(t, `update forks set title = '=HYPERLINK("x")' where title in ('1/2', 'Datenlotsen')`)
	n = newNightly(t, strings.ReplaceAll(n.text, service.URL, newBusyService(t, b.URL).URL+"/"), b.token)
	out, code = n.run(t)
	require.Zero(t, code, "%s", out)
	forks := filepath.Join(n.folder, "copy/forks.csv")
	text, err := os.ReadFile(forks)
	require.NoError(t, err)
	require.Contains(t, string(text), `"'=HYPERLINK(`)
	about, err := os.Stat(forks)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), about.Mode().Perm())
}

func lastLine(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}

// playsUntilYesterday counts the plays of all forks of the reader's organisation.
func (b *cookbook) playsUntilYesterday(t *testing.T) int {
	t.Helper()
	return apptest.Read[int](t, b.db,
		`select count(*) from plays p join forks f on f.id = p.fork_id join organisations o on o.id = f.org_id
		where o.slug = 'harbour-and-vale' and p.started_at < $1`,
		time.Now().UTC().Truncate(24*time.Hour))
}
