package chaos

import (
	"math/rand/v2"
	"net/url"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/postgres"
	"dg/platform/testkit/fixtures"
	"dg/platform/testkit/pgtest"
)

// callersOf starts clients of several organisations on a dg that reaches this database.
func callersOf(t *testing.T, x *apptest.External, c *apptest.Child) *callers {
	t.Helper()
	owner, err := postgres.Open(t.Context(), x.URL(url.User("dg_owner")),
		postgres.Options{Name: "test", MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(owner.Close)
	db := fixtures.On(t, &pgtest.Database{
		URL:      x.URL(url.User("dg_app")),
		OwnerURL: x.URL(url.User("dg_owner")),
		Owner:    owner,
	})
	var tenants []*calledTenant
	for range apptest.ChaosSize(4, 9, 9) {
		tenants = append(tenants,
			newCalledTenant(t, db, c.URL, apptest.ChaosSize(12, 40, 60),
				apptest.ChaosSize(10, 60, 300)))
	}
	o := beginChaos(t, apptest.DoorTo(t, x.URL(url.User("dg_app"))), c)
	return callEverything(t, o, c.URL, tenants, apptest.ChaosSize(30, 50, 50))
}

// PostgreSQL is killed at random moments under clients that call everything. No answer is wrong, no
// file that is too short looks whole, and whatever was answered is in the audit log.
func TestChaosDatabaseIsKilled(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	a := callersOf(t, x, x.Serve())
	ways := []struct {
		name string
		kill func()
	}{
		{"the postmaster by kill -9", func() {
			x.Die()
			startsAfter(x, time.Duration(rand.IntN(1500))*time.Millisecond)
		}},
		{"a backend by kill -9", func() { killBackend(t, x, a.o.conn) }},
		{"all by an immediate stop", func() {
			require.NoError(t, syscall.Kill(apptest.Postmaster(t, x.Dir), syscall.SIGQUIT))
			<-x.Server.Done()
			x.Stop()
			startsAfter(x, time.Duration(rand.IntN(1500))*time.Millisecond)
		}},
	}
	a.untilGood(t)
	for i := range apptest.ChaosSize(2, 20, 100) {
		<-time.After(time.Duration(200+rand.IntN(1000)) * time.Millisecond) // a random moment
		way := ways[i%len(ways)]
		way.kill()
		t.Logf("%s: everything is answered %s after it was back", way.name, a.untilGood(t))
	}
	a.verdict(t)
	a.o.conn.Reset()
	a.o.ends(t)
}

// startsAfter starts the server again.
func startsAfter(x *apptest.External, pause time.Duration) {
	<-time.After(pause)
	x.Start()
}

// killBackend ends one of dg's sessions by kill -9, after which the server ends them all and
// recovers.
func killBackend(t *testing.T, x *apptest.External, d *apptest.Door) {
	t.Helper()
	pids := apptest.Read[[]int](t, d,
		`select array_agg(pid) from pg_stat_activity where usename = 'dg_app' and backend_type = 'client backend'`)
	require.NoError(t, syscall.Kill(pids[rand.IntN(len(pids))], syscall.SIGKILL))
	apptest.Until(t, 10*time.Second, "the server lives on", func() bool {
		return d.Ping(t.Context()) != nil
	})
	apptest.Until(t, 30*time.Second, "the server does not recover", func() bool {
		return d.Ping(t.Context()) == nil
	})
}
