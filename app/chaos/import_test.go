package chaos

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// phase is a moment at which the test can hold an import, in order to break it off.
type phase struct {
	name  string
	hold  func(*importVersions) (reached func(*apptest.Child) bool, release func())
	in    bool   // the import is committed, even if its process dies
	every string // the blow of make test; make chaos tries all
}

var phases = []phase{
	{name: "wait", every: "Ctrl-C", hold: holdLock},
	{name: "merge", every: "kill -9", hold: holdTable("plays", `query ~ 'plays'`)},
	{name: "commit", every: "cut connection", in: true, hold: holdCommit},
	{name: "after the commit", in: true, hold: holdTable("fork_days", `query ~ 'reports.seal'`)},
}

// working reports whether a connection of dg import or dg keys meets the condition.
func (v *importVersions) working(condition string) bool {
	return apptest.Read[bool](v.T, v.conn, `select exists (select from pg_stat_activity
		where application_name in ('dg import', 'dg keys') and `+condition+`)`)
}

// holdLock holds the lock of imports, as another import does.
func holdLock(v *importVersions) (reached func(*apptest.Child) bool, release func()) {
	release = v.holding(`select pg_advisory_xact_lock(hashtextextended('dg import', 0))`)
	return func(c *apptest.Child) bool {
		return strings.Contains(c.Log.String(), "another process holds the import lock: waiting")
	}, release
}

// holdTable blocks writers of a table, but not readers.
func holdTable(
	table, query string,
) func(*importVersions) (func(*apptest.Child) bool, func()) {
	return func(v *importVersions) (func(*apptest.Child) bool, func()) {
		release := v.holding(`lock table ` + table + ` in share row exclusive mode`)
		return func(*apptest.Child) bool {
			return v.working(`wait_event_type = 'Lock' and ` + query)
		}, release
	}
}

// holding runs a statement in a transaction that stays open until release is called.
func (v *importVersions) holding(sql string) (release func()) {
	tx, err := v.conn.Begin(v.Context())
	require.NoError(v, err)
	_, err = tx.Exec(v.Context(), sql)
	require.NoError(v, err)
	return func() { _ = tx.Rollback(context.Background()) }
}

// holdCommit makes the import's commit wait for a standby that does not exist: it is durable, but
// not acknowledged.
func holdCommit(v *importVersions) (reached func(*apptest.Child) bool, release func()) {
	merging, unlock := holdTable("plays", `query ~ 'plays'`)(v)
	set := func(to string) {
		v.conn.Do(v.T, `alter system set synchronous_standby_names = '`+to+`'`)
		v.conn.Do(v.T, `select pg_reload_conf()`)
		apptest.Until(v.T, 10*time.Second, "the setting is not in force", func() bool {
			return apptest.Read[string](v.T, v.conn, `show synchronous_standby_names`) == to
		})
	}
	return func(c *apptest.Child) bool {
			if merging(c) { // earlier commits are not held
				set("nobody")
				unlock()
			}
			return v.working(`wait_event = 'SyncRep'`)
		}, func() {
			unlock()
			set("")
		}
}

// blow is a way to break an import off, with its exit status and message if it did not commit.
type blow struct {
	name   string
	strike func(*importVersions, *apptest.Child)
	status int
	says   string
}

var blows = []blow{
	{"kill -9", func(_ *importVersions, c *apptest.Child) { c.Kill() }, -1, ""},
	{"Ctrl-C", func(v *importVersions, c *apptest.Child) {
		require.NoError(v, c.Process.Signal(os.Interrupt))
	}, 1, "dg: interrupted: nothing was imported\n"},
	{"cut connection", func(v *importVersions, _ *apptest.Child) {
		v.conn.Do(v.T, `select pg_terminate_backend(pid) from pg_stat_activity
			where application_name = 'dg import'`)
	}, 1, "dg: nothing was imported: the connection to the database was lost"},
}

// on returns exit status and message of an import that the blow hits in the phase.
func (b blow) on(p phase) (status int, says string) {
	switch {
	case !p.in || b.status < 0:
		return b.status, b.says
	case p.name == "commit" && b.name == "cut connection":
		return 1, "dg: the connection to the database was lost during the commit, so the import " +
			"is in wholly or not at all: import again"
	}
	return 0, ""
}

// configs/deploy/import.md: an import that is broken off at any moment is committed wholly or not
// at all. Readers see the state before or after it, to the byte, and the same import succeeds when
// it is run again.
func TestBrokenImportIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	v := newImportVersions(t)
	o := beginChaos(t, v.conn, v.dg)
	stop := v.keepReading()
	defer stop()
	for _, p := range phases {
		for _, b := range blows {
			if apptest.Chaos || p.every == b.name {
				t.Run(p.name+", "+b.name, func(t *testing.T) { v.on(t).breaksOff(p, b) })
			}
		}
	}
	v.on(t).awaitReadings()
	stop()
	for path, h := range v.seen {
		t.Logf("%.60s: %d readings of %d states", path, len(h.Readings), len(h.Changes))
		require.Empty(t, h.Faults())
	}
	v.revocationsBreak()
	o.ends(t)
}

func (v *importVersions) breaksOff(p phase, b blow) {
	v.last++
	begun := time.Now()
	reached, release := p.hold(v)
	release = sync.OnceFunc(release)
	defer release()
	c := v.begin(v.last)
	apptest.Until(v.T, time.Minute, "the import is never held", func() bool { return reached(c) })
	v.awaitReadings()
	b.strike(v, c)
	if p.name == "commit" && b.name == "Ctrl-C" { // Ctrl-C waits for the commit
		release()
	}
	status, says := b.on(p)
	require.Equal(v, status, c.Status(30*time.Second), "%s", c.Log.String())
	require.Contains(v, c.Log.String(), says)
	release()
	apptest.Until(v.T, 30*time.Second, "its work goes on", func() bool { return !v.working(`true`) })
	if p.in {
		v.changed(begun)
	}
	v.awaitReadings()
	v.unchanged()
	v.imports(v.last, p.in)
}

// revocationsBreak kills dg keys revoke: keys and entries are committed together or not at all, and
// a second run revokes the keys.
func (v *importVersions) revocationsBreak() {
	var ids []string
	for _, token := range v.keys[:5] {
		ids = append(ids, strings.Split(token, "_")[2])
	}
	v.keys = v.keys[5:]
	list := filepath.Join(v.TempDir(), "revoked")
	require.NoError(v, os.WriteFile(list, []byte(strings.Join(ids, "\n")), 0o600))
	const state = `select array[(select count(*) from api_keys where revoked_at is not null),
		(select count(*) from audit_entries where action = 'api_key.revoked')]`
	reached, release := holdTable("audit_entries", `true`)(v)
	defer release()
	c := v.run("keys", "revoke", "--from", list)
	apptest.Until(v.T, time.Minute, "it does not come to write", func() bool { return reached(c) })
	c.Kill()
	release()
	apptest.Until(v.T, 30*time.Second, "its work goes on", func() bool { return !v.working(`true`) })
	require.Equal(v, []int{0, 0}, apptest.Read[[]int](v.T, v.conn, state))
	require.Zero(v, v.run("keys", "revoke", "--from", list).Status(time.Minute))
	require.Equal(v, []int{5, 5}, apptest.Read[[]int](v.T, v.conn, state))
}
