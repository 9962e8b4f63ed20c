package system

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/postgres"
	"dg/platform/testkit/bouncer"
	"dg/platform/testkit/pgtest"
)

// An answer holds whatever was committed before its request began, wherever it is read: replicas
// that have not replayed it are left out, and come back by themselves.
func TestReplicasAreNeverBehind(t *testing.T) {
	t.Parallel()
	w := newReplicated(t)
	w.state("following")
	t.Run("reports read from the replica", w.readsFromReplica)
	t.Run("a pooler may lead to it", w.readsThroughPooler)
	t.Run("it has to be of the same system", w.foreignIsRefused)
	t.Run("a lagging replica is never seen", w.pausedIsNeverSeen)
	t.Run("a silent or dead replica is left out", w.deadIsLeftOut)
	t.Run("a cancelled report is asked again", w.cancelledIsAskedAgain)
	t.Run("another history is never read", w.divergedIsNeverRead)
	for _, never := range []string{"s3cret", "request failed"} {
		require.NotContains(t, w.c.Log.String(), never)
	}
}

func (w *replicated) readsFromReplica(t *testing.T) {
	w.t = t
	page := "/o/" +
		apptest.Read[string](t, w.primary, `select slug from organisations where id = $1`, w.org) +
		"/reports"
	for what, ask := range map[string]func(){
		"statistics": func() { w.stats() },
		"CSV":        func() { w.export() },
		"HEAD":       func() { w.head("/api/v1/forks/" + w.fork + "/stats" + w.query) },
		"list":       func() { w.screen(page) },
		"dashboard":  func() { w.screen(page + "/" + w.fork) },
		"download":   func() { w.screen(page + "/" + w.fork + "/plays.csv" + w.query) },
	} {
		before := w.reads()
		// a connection may take its time
		apptest.Until(t, 10*time.Second, what+" does not read from the replica", func() bool {
			ask()
			return w.reads() != before
		})
	}
}

// A pooler in transaction mode has to be announced: one that drops the bounds of dg's sessions is
// left out.
func (w *replicated) readsThroughPooler(t *testing.T) {
	marked := bouncer.Start(t, w.standby.socket).URL(w.standby.url("dg_app"))
	dropping := bouncer.Start(t, w.standby.socket, bouncer.Ignored).URL(w.standby.url("dg_app"))
	p := *w
	p.t = t
	p.ops = apptest.FreeAddress(t)
	p.c = w.x.Serve("--database-replica-urls", postgres.ThroughPooler(marked)+" "+dropping,
		"--ops-addr", p.ops)
	apptest.Until(t, 10*time.Second, "the replica behind the pooler is not read from", func() bool {
		return p.metric(`dg_replica_state{replica="1",state="following"}`) == "1"
	})
	p.readsFromReplica(t)
	require.Equal(t, "1", p.metric(`dg_replica_state{replica="2",state="unreachable"}`))
	require.Contains(t, p.c.Log.String(), "pooler=transaction")
	require.NotContains(t, p.c.Log.String(), "s3cret")
	p.c.Stop()
}

// A URL of another database system stops the start. dg doctor says the same, and what it finds of a
// replica.
func (w *replicated) foreignIsRefused(t *testing.T) {
	w.t = t
	urls := []string{
		"--database-url", w.x.URL(url.User("dg_app")), "--migrate-database-url",
		w.x.URL(url.User("dg_owner")), "--addr", "127.0.0.1:0",
	}
	other := w.standby.url("dg_app") + " " + pgtest.New(t).URL
	status, output := (&program{
		t:   t,
		dir: w.x.Dir,
	}).run(
		append([]string{"serve", "--ops-addr", "127.0.0.1:0", "--database-replica-urls", other},
			urls...)...,
	)
	require.NotZero(t, status)
	require.Contains(t, output, "replica 2 is not a copy of the primary")
	require.NotContains(t, output, "s3cret")
	for list, says := range map[string]string{
		other:                   "replica 2 is not a copy of the primary",
		w.standby.url("dg_app"): "hot_standby_feedback is off",
		"postgres://127.0.0.1:1/dg," +
			w.standby.url("dg_app"): "replica 1    reports leave it out: it is unreachable",
	} {
		apptest.Until(t, 30*time.Second, "doctor does not say: "+says, func() bool {
			// A replica that does not answer within a second is left out, and doctor says so.
			_, found := (&program{
				t:   t,
				dir: w.x.Dir,
			}).run(append([]string{"doctor", "--database-replica-urls", list}, urls...)...)
			require.NotContains(t, found, "s3cret")
			return strings.Contains(found, says)
		})
	}
}

// screen is a page of the organisation's owner.
func (w *replicated) screen(path string) string {
	w.t.Helper()
	hash := sha256.Sum256([]byte("session"))
	w.primary.Do(w.t,
		`insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at,
			second_step_due, address, user_agent)
		select $1, user_id, now(), now(), now() + interval '1 h', false, '', '' from memberships
		  where org_id = $2 and role = 'owner' limit 1
		on conflict do nothing`, hash[:], w.org)
	return w.get(http.StatusOK, path, "Cookie", "__Host-dg=session", "Accept", "text/html",
		"Sec-Fetch-Site", "same-origin")
}

func (w *replicated) pausedIsNeverSeen(t *testing.T) {
	w.t = t
	slug := apptest.Read[string](t, w.primary, `select slug from organisations where id = $1`,
		w.org)
	name := apptest.Read[string](t, w.primary,
		`select p.display_name from players p join plays y on y.org_id = p.org_id and y.player = p.ordinal
		where p.org_id = $1 and y.fork_id = $2 limit 1`, w.org, w.fork)
	for round := range 3 {
		w.mode("nominative")
		require.Contains(t, w.stats(), name)
		w.standby.replay("pause")
		w.mode("pseudonymous")
		begun := time.Now()
		require.NotContains(t, w.stats(), name, "round %d", round)
		require.Less(t, time.Since(begun), 2*time.Second)
		require.NotContains(t, w.export(), name)
		require.NotContains(t, w.screen("/o/"+slug+"/reports/"+w.fork), name)
		w.state("behind")
		w.standby.replay("resume")
		w.state("following")
	}

	w.standby.replay("pause")
	label := apptest.Read[string](t, w.primary,
		`select label from players where org_id = $1 and display_name = $2`, w.org, name)
	require.Contains(t, w.export(), label)
	w.primary.Do(t, `delete from players where org_id = $1 and label = $2`, w.org, label)
	require.NotContains(t, w.export(), label, "an erased player")
	require.NotContains(t, w.stats(), label)
	w.primary.Do(t, `update forks set title = 'Renamed' where id = $1`, w.fork)
	require.Contains(t, w.get(http.StatusOK, "/api/v1/forks/"+w.fork), "Renamed",
		"the cache of forks is not of the replica")
	w.primary.Do(t, `update api_keys set revoked_at = now() where org_id = $1`, w.org)
	w.get(http.StatusUnauthorized, "/api/v1/forks/"+w.fork+"/stats"+w.query)
	w.primary.Do(t, `alter table api_keys disable trigger user`)
	w.primary.Do(t, `update api_keys set revoked_at = null where org_id = $1`, w.org)
	w.primary.Do(t, `alter table api_keys enable trigger user`)
	w.standby.replay("resume")
	w.state("following")
	before := w.reads()
	apptest.Until(t, 10*time.Second, "the replica does not serve again", func() bool {
		w.stats()
		return w.reads() != before
	})
}

func (w *replicated) deadIsLeftOut(t *testing.T) {
	w.t = t
	for name, c := range map[string]struct{ goAway, comeBack func() }{
		"stopped": {func() { w.standby.end(syscall.SIGINT) }, w.standby.start},
		"killed":  {func() { w.standby.end(syscall.SIGKILL) }, w.standby.start},
		"silent": {
			func() { w.standby.signal(syscall.SIGSTOP) }, func() {
				w.standby.signal(syscall.SIGCONT)
			},
		},
	} {
		want := w.stats()
		c.goAway()
		for range 4 {
			begun := time.Now()
			require.Equal(t, want, w.stats(), name)
			require.Less(t, time.Since(begun), 2*time.Second, name)
			w.export()
		}
		w.state("unreachable")
		c.comeBack()
		w.state("following")
	}
	changes := regexp.MustCompile(`reports read from the replica|state=\w+`).
		FindAllString(w.c.Log.String(), -1)
	require.GreaterOrEqual(t, strings.Count(strings.Join(changes, " "), "unreachable"), 3)
	require.Equal(t, slices.Compact(slices.Clone(changes)), changes, "a change is logged once")
}

// Replay cancels statements that are in its way (SQLSTATE 40001): the primary answers instead.
func (w *replicated) cancelledIsAskedAgain(t *testing.T) {
	w.t = t
	want := w.stats()
	ctx, stop := context.WithCancel(t.Context())
	locking := make(chan struct{})
	go func() {
		defer close(locking)
		for ctx.Err() == nil {
			_, _ = w.primary.Exec(ctx, `begin; lock table plays in access exclusive mode; commit`)
		}
	}()
	apptest.Until(t, 20*time.Second, "replay is in no report's way", func() bool {
		require.Equal(t, want, w.stats())
		return apptest.Read[int](t, w.standby.Door,
			`select confl_lock from pg_stat_database_conflicts where datname = 'dg'`) > 3
	})
	stop()
	<-locking
	w.state("following")
}

func (w *replicated) divergedIsNeverRead(t *testing.T) {
	w.t = t
	w.mode("pseudonymous")
	right := w.stats()
	never := func(state string) {
		t.Helper()
		w.state(state)
		before := w.reads()
		for range 5 {
			require.Equal(t, right, w.stats(), state)
		}
		require.Equal(t, before, w.reads())
	}
	restart := func(standby bool) {
		w.standby.end(syscall.SIGINT)
		w.standby.become(standby)
		w.standby.start()
	}
	own := func() {
		w.standby.Do(t, `update organisations set reporting_mode = 'nominative'`)
		w.standby.Do(t, `create table if not exists own as select generate_series(1, 100000)`)
	}

	restart(false) // its own history on the same timeline, further than the primary's
	own()
	never("promoted")
	restart(true)
	never("diverged")
	w.standby.Do(t, `select pg_promote()`)
	apptest.Until(t, 10*time.Second, "it is not promoted", func() bool {
		return !apptest.Read[bool](t, w.standby.Door, `select pg_is_in_recovery()`)
	})
	never("promoted")
	restart(true)
	never("diverged")
}
