package chaos

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// /docs/security, Database outage: PostgreSQL is killed at random moments while clients call
// everything. No answer is wrong: a failure is 503 in the API's error body, which shows no internals.
// No truncated file looks whole, and every answered change is in the audit log. When PostgreSQL is
// back, every call succeeds.
func TestChaosDatabaseIsKilled(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	dg := x.Serve()
	db := x.World
	var all []*caller // the first one is for untilGood
	for range apptest.Sized(4, 9, 9) {
		all = append(all, newCaller(t, db, dg.URL))
	}
	stop := callEverything(all[1:], apptest.Sized(30, 50, 50))
	defer stop()
	untilGood(t, all[0])
	for i := range apptest.Sized(2, 20, 100) {
		<-time.After(time.Duration(200+rand.IntN(1000)) * time.Millisecond) // a random moment
		if i%2 == 0 {
			x.Kill()
			<-time.After(time.Duration(rand.IntN(1500)) * time.Millisecond)
			x.Start()
		} else {
			killBackend(t, db)
		}
		untilGood(t, all[0])
	}
	stop()
	db.Owner.Pool.Reset()
	requireRight(t, db, dg, all...)
}

// killBackend kills one of dg's backends, so that the server ends all sessions and recovers.
func killBackend(t *testing.T, d *testkit.World) {
	pids := testkit.One[[]int](d, `select array_agg(pid) from pg_stat_activity
		where usename = 'dg_app' and backend_type = 'client backend'`)
	require.NoError(t, syscall.Kill(pids[rand.IntN(len(pids))], syscall.SIGKILL))
	apptest.Until(t, 10*time.Second, "the server lives on", func() bool {
		return d.Owner.Pool.Ping(t.Context()) != nil
	})
	apptest.Until(t, 30*time.Second, "the server does not recover", func() bool {
		return d.Owner.Pool.Ping(t.Context()) == nil
	})
}

func untilGood(t *testing.T, c *caller) {
	defer c.http.CloseIdleConnections()
	for name := range c.calls {
		apptest.Until(t, time.Minute, "there is no right answer: "+name, func() bool {
			return c.call(name) == gotRight
		})
	}
}
