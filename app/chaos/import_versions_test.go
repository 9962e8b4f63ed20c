package chaos

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
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

// importVersions makes files of one fork. Each version replaces the fork's title and the same
// plays, some of them on another day, while clients keep reading the fork's list, statistics and
// plays.
type importVersions struct {
	*testing.T
	x     *apptest.External
	conn  *apptest.AdminDB // commits without waiting for a standby
	dg    *apptest.Child
	fork  map[string]any
	plays []map[string]any
	last  int // number of the newest version
	keys  []string
	asked atomic.Int64
	seen  map[string]*apptest.Recording // by path
}

// versionPlays is how many plays a version has: more than an import sends in one batch.
const versionPlays = 4_500

// on is v for a subtest.
func (v *importVersions) on(t *testing.T) *importVersions {
	v.T = t
	return v
}

func newImportVersions(t *testing.T) *importVersions {
	t.Helper()
	v := &importVersions{T: t, x: apptest.NewExternal(t), seen: map[string]*apptest.Recording{}}
	base := apptest.NewHistory(t, 61, apptest.ChaosSize(6_000, apptest.Sealable, 200_000))
	pool, err := pgxpool.New(t.Context(),
		v.x.URL(url.User("postgres"))+"&synchronous_commit=local")
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	v.conn = &apptest.AdminDB{Pool: pool}
	v.conn.Do(t, `alter role dg_app set synchronous_commit = local`) // see holdCommit
	require.Zero(t, v.run("import", base.File).Status(5*time.Minute))
	v.readBase(base)
	owner, err := postgres.Open(t.Context(), v.x.URL(url.User("dg_owner")),
		postgres.Options{Name: "test", MaxConns: 2})
	require.NoError(t, err)
	t.Cleanup(owner.Close)
	db := fixtures.On(t, &pgtest.Database{URL: v.x.URL(url.User("dg_app")), Owner: owner})
	for range apptest.ChaosSize(60, 200, 600) {
		v.keys = append(v.keys, db.Key(base.IDs.Organisation.String()).Token())
	}
	v.dg = v.x.Serve()
	fork := "/api/v1/forks/" + base.IDs.Forks[0].String()
	for _, path := range []string{"/api/v1/forks", fork + "/stats" + base.Query,
		fork + "/exports/csv" + apptest.LastDays(8)} {
		v.seen[path] = new(apptest.Recording)
	}
	v.changed(time.Now())
	return v
}

// readBase takes the fork and the newest plays of a file, and gives every tenth play a new id.
func (v *importVersions) readBase(base apptest.History) {
	text, err := os.ReadFile(base.File)
	require.NoError(v, err)
	for line := range bytes.Lines(text) {
		var object map[string]any
		require.NoError(v, json.Unmarshal(line, &object))
		switch object["type"] {
		case "fork":
			v.fork = object
		case "play":
			v.plays = append(v.plays, object)
		}
	}
	v.plays = v.plays[len(v.plays)-versionPlays:]
	for i := 0; i < len(v.plays); i += 10 {
		v.plays[i]["id"] = uuid.NewSHA1(uuid.NameSpaceURL, []byte(fmt.Sprint("version", i)))
	}
}

// run starts a command on the database.
func (v *importVersions) run(args ...string) *apptest.Child {
	return apptest.Launch(v.T,
		append(args, "--database-url", v.x.URL(url.User("dg_app")), "--migrate-database-url",
			v.x.URL(url.User("dg_owner")))...)
}

// file is the file of the nth version.
func (v *importVersions) file(n int) []byte {
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	fork := maps.Clone(v.fork)
	fork["title"] = fmt.Sprintf("Version %d", n)
	require.NoError(v, out.Encode(fork))
	for i, play := range v.plays {
		at, err := time.Parse(time.RFC3339, play["startedAt"].(string))
		require.NoError(v, err)
		version := maps.Clone(play)
		version["startedAt"] = at.Add(-time.Duration(n) * 7 * time.Minute)
		if play["scorePercent"] != nil {
			version["scorePercent"] = (n*13 + i) % 101
		}
		require.NoError(v, out.Encode(version))
	}
	return lines.Bytes()
}

// begin starts the import of a version.
func (v *importVersions) begin(n int) *apptest.Child {
	file := filepath.Join(v.TempDir(), fmt.Sprintf("%d.ndjson", n))
	require.NoError(v, os.WriteFile(file, v.file(n), 0o600))
	return v.run("import", file)
}

// imports imports a version to the end. If it was committed before, nothing is written.
func (v *importVersions) imports(n int, in bool) {
	begun := time.Now()
	c := v.begin(n)
	require.Zero(v, c.Status(time.Minute), "%s", c.Log.String())
	_, list := apptest.FetchFrom(apptest.NewClient(), v.dg.URL+"/api/v1/forks", v.nextKey())
	require.Contains(v, string(list), fmt.Sprintf(`"title":"Version %d"`, n))
	if in {
		require.Regexp(v, fmt.Sprintf(`play +0 +0 +%d`, versionPlays), c.Out.String())
		v.unchanged()
		return
	}
	v.changed(begun)
}

func (v *importVersions) nextKey() string { return v.keys[int(v.asked.Add(1))%len(v.keys)] }

// fetch returns a checksum of the answer to a path, or "" if the request fails.
func (v *importVersions) fetch(c *http.Client, path string) string {
	status, body := apptest.FetchFrom(c, v.dg.URL+path, v.nextKey())
	if status != http.StatusOK {
		return ""
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}

// changed records that the answers have changed since begun.
func (v *importVersions) changed(begun time.Time) {
	ended := time.Now()
	for path, h := range v.seen {
		h.SetAt(v.fetch(apptest.NewClient(), path), begun, ended)
	}
}

// unchanged fails unless the answers are those of the last change.
func (v *importVersions) unchanged() {
	for path, h := range v.seen {
		require.Equal(v, h.Changes[len(h.Changes)-1].Value, v.fetch(apptest.NewClient(), path), path)
	}
}

// keepReading reads each path until stop is called.
func (v *importVersions) keepReading() (stop func()) {
	var ended atomic.Bool
	var all sync.WaitGroup
	for path, h := range v.seen {
		all.Go(func() {
			c := apptest.KeepingClient(30 * time.Second)
			defer c.CloseIdleConnections()
			for ; !ended.Load(); <-time.After(20 * time.Millisecond) {
				h.Read(path, func() string { return v.fetch(c, path) })
			}
		})
	}
	return sync.OnceFunc(func() {
		ended.Store(true)
		all.Wait()
	})
}

// awaitReadings waits until each path has been read once more.
func (v *importVersions) awaitReadings() {
	begun := time.Now()
	for path, h := range v.seen {
		apptest.Until(v.T, 30*time.Second, path+" is not read", func() bool {
			return h.ReadSince(begun)
		})
	}
}
