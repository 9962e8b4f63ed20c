package chaos

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/postgres"
	"dg/platform/testkit/fixtures"
	"dg/platform/testkit/pgtest"
)

// editions are files of one fork, each of which replaces the fork's title and the same plays, some
// of them on another day, while somebody reads the fork's list, statistics and plays all the time.
type editions struct {
	*testing.T
	x     *apptest.External
	door  *apptest.Door
	dg    *apptest.Child
	base  apptest.History
	plays []map[string]any
	last  int // number of the newest edition
	keys  []string

	leaked []string // ids of keys that nobody uses
	paths  []string
	seen   map[string]*apptest.Recording // by path
	asked  atomic.Int64

	stopReading func()
}

// editionPlays is how many plays an edition has: more than an import reads before it sends them to
// the database.
const editionPlays = 4_500

// on is e for a subtest.
func (e *editions) on(t *testing.T) *editions {
	e.T = t
	return e
}

func newEditions(t *testing.T) *editions {
	t.Helper()
	e := &editions{
		T:    t,
		x:    apptest.NewExternal(t),
		base: apptest.NewHistory(t, 61, apptest.ChaosSize(6_000, apptest.Sealable, 200_000)),
		seen: map[string]*apptest.Recording{},
	}
	e.door = door(t, e.x)
	e.door.Do(t, `alter role dg_app set synchronous_commit = local`) // see holdCommits
	imported := e.run("import", e.base.File)
	require.Zero(t, imported.Status(5*time.Minute), "%s", imported.Log.String())
	e.readPlays()
	owner, err := postgres.Open(t.Context(), e.x.URL(url.User("dg_owner")),
		postgres.Options{Name: "test", MaxConns: 2})
	require.NoError(t, err)
	t.Cleanup(owner.Close)
	db := fixtures.On(t, &pgtest.Database{URL: e.x.URL(url.User("dg_app")), Owner: owner})
	for range apptest.ChaosSize(60, 200, 600) {
		e.keys = append(e.keys, db.Key(e.base.IDs.Organisation.String()).Token())
	}
	for range 5 {
		e.leaked = append(e.leaked, db.Key(e.base.IDs.Organisation.String()).ID)
	}
	e.dg = e.x.Serve()
	fork := "/api/v1/forks/" + e.base.IDs.Forks[0].String()
	e.paths = []string{
		"/api/v1/forks", fork + "/stats" + e.base.Query,
		fork + "/exports/csv" + apptest.LastDays(8),
	}
	for _, path := range e.paths {
		e.seen[path] = new(apptest.Recording)
	}
	e.changed(time.Now())
	e.keepReading()
	return e
}

// door is the way into the database as PostgreSQL's superuser, whose commits wait for nobody.
func door(t *testing.T, x *apptest.External) *apptest.Door {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), x.URL(url.User("postgres"))+"&synchronous_commit=local")
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return &apptest.Door{Pool: pool}
}

// run starts a command on the database.
func (e *editions) run(args ...string) *apptest.Child {
	return apptest.Launch(e.T,
		append(args, "--database-url", e.x.URL(url.User("dg_app")), "--migrate-database-url",
			e.x.URL(url.User("dg_owner")))...)
}

// readPlays takes the newest plays of the base, and makes one in ten of them one that the base does
// not have.
func (e *editions) readPlays() {
	f, err := os.Open(e.base.File)
	require.NoError(e, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var object map[string]any
		require.NoError(e, json.Unmarshal(lines.Bytes(), &object))
		if object["type"] == "play" {
			e.plays = append(e.plays, object)
		}
	}
	e.plays = e.plays[len(e.plays)-editionPlays:]
	for i := 0; i < len(e.plays); i += 10 {
		e.plays[i]["id"] = uuid.NewSHA1(uuid.NameSpaceURL, []byte(fmt.Sprint("edition", i))).
			String()
	}
}

func (e *editions) next() int {
	e.last++
	return e.last
}

// lines are the file of an edition.
func (e *editions) lines(n int) []string {
	lines := []string{e.forkLine(n)}
	for i, play := range e.plays {
		at, err := time.Parse(time.RFC3339, play["startedAt"].(string))
		require.NoError(e, err)
		edition := maps.Clone(play)
		edition["startedAt"] = at.Add(-time.Duration(n) * 7 * time.Minute)
		if play["scorePercent"] != nil {
			edition["scorePercent"] = (n*13 + i) % 101
		}
		line, err := json.Marshal(edition)
		require.NoError(e, err)
		lines = append(lines, string(line))
	}
	return lines
}

// forkLine is the fork's under another title.
func (e *editions) forkLine(n int) string {
	text, err := os.ReadFile(e.base.File)
	require.NoError(e, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, `{"type":"fork"`) {
			return strings.Replace(strings.TrimSpace(line), `"title":"Fork 1"`,
				fmt.Sprintf(`"title":"Edition %d"`, n), 1)
		}
	}
	e.Fatal("no fork")
	return ""
}

// beginImport imports an edition, from a pipe that says nothing more after a number of lines if
// there is one.
func (e *editions) beginImport(n, lines int) (c *apptest.Child, closePipe func()) {
	all := e.lines(n)
	if lines == 0 {
		file := filepath.Join(e.TempDir(), fmt.Sprintf("%d.ndjson", n))
		require.NoError(e, os.WriteFile(file, []byte(strings.Join(all, "\n")), 0o600))
		return e.run("import", file), func() {}
	}
	r, w, err := os.Pipe()
	require.NoError(e, err)
	c = apptest.LaunchWith(e.T, func(cmd *exec.Cmd) { cmd.Stdin = r }, "import", "-",
		"--database-url", e.x.URL(url.User("dg_app")), "--migrate-database-url",
		e.x.URL(url.User("dg_owner")))
	require.NoError(e, r.Close())
	var writing sync.WaitGroup
	writing.Go(func() { _, _ = w.WriteString(strings.Join(all[:lines], "\n") + "\n") })
	return c, func() {
		writing.Wait()
		_ = w.Close()
	}
}

// imports an edition to the end. Where it is in already, nothing is written.
func (e *editions) imports(n int, in bool) {
	begun := time.Now()
	c, _ := e.beginImport(n, 0)
	require.Zero(e, c.Status(time.Minute), "%s", c.Log.String())
	_, list := apptest.FetchFrom(apptest.NewClient(), e.dg.URL+e.paths[0], e.nextKey())
	require.Contains(e, string(list), fmt.Sprintf(`"title":"Edition %d"`, n))
	if in {
		require.Regexp(e, fmt.Sprintf(`play +0 +0 +%d`, editionPlays), c.Out.String())
		e.unchanged()
		return
	}
	e.changed(begun)
}

// values are what a reader sees now, by path.
func (e *editions) values() map[string]string {
	shown := map[string]string{}
	for _, path := range e.paths {
		status, body := apptest.FetchFrom(apptest.NewClient(), e.dg.URL+path, e.nextKey())
		require.Equal(e, http.StatusOK, status, "%s", body)
		shown[path] = sumOf(body)
	}
	return shown
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}

func (e *editions) nextKey() string { return e.keys[int(e.asked.Add(1))%len(e.keys)] }

// changed records that what a reader sees has changed since begun.
func (e *editions) changed(begun time.Time) {
	ended := time.Now()
	for path, value := range e.values() {
		e.seen[path].SetAt(value, begun, ended)
	}
}

// unchanged fails unless a reader sees what the last change has left.
func (e *editions) unchanged() {
	for path, value := range e.values() {
		h := e.seen[path]
		require.Equal(e, h.Changes[len(h.Changes)-1].Value, value, path)
	}
}

// keepReading reads until the test ends.
func (e *editions) keepReading() {
	ended := make(chan struct{})
	t := e.T
	var all sync.WaitGroup
	for i := range e.paths {
		all.Go(func() {
			c := apptest.KeepingClient(30 * time.Second)
			path := e.paths[i]
			defer c.CloseIdleConnections()
			for {
				e.seen[path].Read(path, func() string {
					status, body := apptest.FetchFrom(c, e.dg.URL+path, e.nextKey())
					if status != http.StatusOK {
						t.Logf("%s is answered %d: %s", path, status, body)
						return ""
					}
					return sumOf(body)
				})
				select {
				case <-ended:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		})
	}
	e.stopReading = sync.OnceFunc(func() {
		close(ended)
		all.Wait()
	})
	t.Cleanup(e.stopReading)
}

// awaitReadings waits until each path was read once from now on.
func (e *editions) awaitReadings() {
	begun := time.Now()
	for _, path := range e.paths {
		h := e.seen[path]
		apptest.Until(e.T, 30*time.Second, path+" is not read", func() bool {
			return h.ReadSince(begun)
		})
	}
}

// verdict fails if anybody has seen something else than one of the states, or an old one.
func (e *editions) verdict() {
	e.awaitReadings()
	e.stopReading()
	for path, h := range e.seen {
		wrong := h.Faults()
		e.Logf("%.60s: %d readings of %d states, %d of them wrong", path, len(h.Readings),
			len(h.Changes), len(wrong))
		require.Empty(e, wrong)
	}
}
