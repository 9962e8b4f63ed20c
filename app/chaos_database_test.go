package main

import (
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
	"dg/platform/testkit/fixtures"
	"dg/platform/testkit/pgtest"
)

// callers starts clients of several organisations on a dg that reaches this database.
func (x *external) callers(t *testing.T, c *child) *callers {
	t.Helper()
	owner, err := postgres.Open(t.Context(), x.url(url.User("dg_owner")), postgres.Options{Name: "test", MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(owner.Close)
	db := fixtures.On(t, &pgtest.Database{URL: x.url(url.User("dg_app")), OwnerURL: x.url(url.User("dg_owner")), Owner: owner})
	var tenants []*calledTenant
	for range chaosSize(4, 9, 9) {
		tenants = append(tenants, newCalledTenant(t, db, c.url, chaosSize(12, 40, 60), chaosSize(10, 60, 300)))
	}
	o := beginOrdeal(t, doorTo(t, x.url(url.User("dg_app"))), c)
	return callEverything(t, o, c.url, tenants, chaosSize(30, 50, 50))
}

// PostgreSQL is killed at random moments under clients that call everything. No answer is wrong, no file that is too short looks
// whole, and whatever was answered is in the audit log.
func TestChaosDatabaseIsKilled(t *testing.T) {
	t.Parallel()
	x := newExternal(t)
	a := x.callers(t, x.serve())
	ways := []struct {
		name string
		kill func()
	}{
		{"the postmaster by kill -9", func() { x.die(); x.startsAfter(time.Duration(rand.IntN(1500)) * time.Millisecond) }},
		{"a backend by kill -9", func() { x.killBackend(t, a.o.door) }},
		{"all by an immediate stop", func() {
			require.NoError(t, syscall.Kill(postmaster(t, x.dir), syscall.SIGQUIT))
			<-x.server.Done()
			x.stop()
			x.startsAfter(time.Duration(rand.IntN(1500)) * time.Millisecond)
		}},
	}
	a.untilGood(t)
	for i := range chaosSize(2, 20, 100) {
		<-time.After(time.Duration(200+rand.IntN(1000)) * time.Millisecond) // a random moment
		way := ways[i%len(ways)]
		way.kill()
		t.Logf("%s: everything is answered %s after it was back", way.name, a.untilGood(t))
	}
	a.verdict(t)
	a.o.door.Reset()
	a.o.ends(t)
}

// startsAfter starts the server again.
func (x *external) startsAfter(pause time.Duration) {
	<-time.After(pause)
	x.start()
}

// killBackend ends one of dg's sessions by kill -9, after which the server ends them all and recovers.
func (x *external) killBackend(t *testing.T, d *door) {
	t.Helper()
	pids := read[[]int](t, d, `select array_agg(pid) from pg_stat_activity where usename = 'dg_app' and backend_type = 'client backend'`)
	require.NoError(t, syscall.Kill(pids[rand.IntN(len(pids))], syscall.SIGKILL))
	until(t, 10*time.Second, "the server lives on", func() bool { return d.Ping(t.Context()) != nil })
	until(t, 30*time.Second, "the server does not recover", func() bool { return d.Ping(t.Context()) == nil })
}

// postmaster is the process of the server on the folder.
func postmaster(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.SplitN(string(text), "\n", 2)[0])
	require.NoError(t, err)
	return pid
}
