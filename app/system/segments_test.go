package system

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// sealerLock is the advisory lock of the one sealer that works at a time, in SQL.
const sealerLock = `x'64677365616c'::bigint`

// `dg segments` lists what is sealed, finds a segment that differs from the plays, and seals
// everything again unless another sealer holds the lock.
func TestSegmentsCommand(t *testing.T) {
	t.Parallel()
	p := &program{t: t, dir: apptest.NewFolder(t)}
	d := apptest.OpenDoor(t, p.dir)
	h := apptest.NewHistory(t, 5, apptest.Sealable)
	h.ImportInto(t, p.dir)
	days := apptest.Read[int](t, d, `select count(*) from fork_days`)
	require.Greater(t, days, 290)
	status, output := p.run("segments")
	require.Zero(t, status, output)
	require.Regexp(t, h.IDs.Forks[0].String()+` +300 +0 +0 +\d+ +\d+\n`, output)
	status, output = p.run("segments", "verify")
	require.Zero(t, status, output)
	require.Contains(t, output, "All segments verified.")
	p.answersDespiteDamage(d, h)

	d.Do(t,
		`update fork_days set segment = set_byte(segment, octet_length(segment) - 1,
			(get_byte(segment, octet_length(segment) - 1) + 2) % 60)
		where day = (select max(day) from fork_days)`)
	status, output = p.run("segments", "verify")
	require.Equal(t, 1, status, output)
	require.Contains(t, output, apptest.Read[string](t, d, `select max(day)::text from fork_days`))
	require.Contains(t, output, "dg segments rebuild")

	other, err := d.Acquire(t.Context())
	require.NoError(t, err)
	t.Cleanup(other.Release)
	_, err = other.Exec(t.Context(), `select pg_advisory_lock(`+sealerLock+`)`)
	require.NoError(t, err)
	status, output = p.run("segments", "rebuild", "--wait", "200ms")
	require.Equal(t, 1, status)
	require.Contains(t, output, "another process holds the sealer lock")
	_, err = other.Exec(t.Context(), `select pg_advisory_unlock_all()`)
	require.NoError(t, err)

	status, output = p.run("segments", "rebuild")
	require.Zero(t, status, output)
	require.Equal(t, days, apptest.Read[int](t, d, `select count(*) from fork_days`))
	status, output = p.run("segments", "verify")
	require.Zero(t, status, output)
}

// answersDespiteDamage serves a history, damages what is sealed of three days and a month, and gets
// the same statistics as before. The log says so, and the days and the month are marked.
func (p *program) answersDespiteDamage(d *apptest.Door, h apptest.History) {
	p.t.Helper()
	greeting, stop := p.serve("serve")
	defer stop()
	token := makeKey(p.t, p.dir, h.IDs.Organisation.String(), "Test").String()
	url := strings.TrimSpace(strings.TrimPrefix(greeting, "Serving on ")) + "/api/v1/forks/" +
		h.IDs.Forks[0].String() + "/stats" + h.Query
	before := fetch(p.t, url, token)
	d.Do(p.t,
		`update fork_days set sums = set_byte(sums, octet_length(sums) - 1, get_byte(sums, octet_length(sums) - 1) # 1)
		where day in (select day from fork_days order by day limit 3)`)
	d.Do(p.t,
		`update fork_months set segment = substr(segment, 1, 40) where month = (select max(month) from fork_months)`)
	require.Equal(p.t, string(before), string(fetch(p.t, url, token)))
	require.Equal(p.t, 4, strings.Count(p.log.String(), "a segment is damaged"))
	require.Equal(p.t, 3, apptest.Read[int](p.t, d, `select count(*) from unsealed_days`))
	require.Equal(p.t, 1, apptest.Read[int](p.t, d, `select count(*) from unsealed_months`))
}

// Stopped while it seals, dg ends promptly without an error in the log, and the next start seals
// the rest.
func TestStopWhileSealing(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	d := apptest.OpenDoor(t, dir)
	h := apptest.NewHistory(t, 6, apptest.Sealable)
	h.ImportInto(t, dir)
	days := apptest.Read[int](t, d, `select count(*) from fork_days`)
	d.Do(t, `delete from fork_days; delete from fork_months`)

	tx, err := d.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // where the test fails
	_, err = tx.Exec(t.Context(), `lock table fork_days in share row exclusive mode`)
	require.NoError(t, err)
	c := apptest.ServeOn(t, dir)
	apptest.Until(t, 10*time.Second, "the sealer does not come to write", func() bool {
		return apptest.Read[bool](t, d,
			`select exists (select from pg_stat_activity
				where wait_event_type = 'Lock' and query like '/* reports.sealDay */%')`)
	})
	begun := time.Now()
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	require.Zero(t, c.Status(20*time.Second), "%s", c.Log.String())
	took := time.Since(begun)
	t.Logf("dg ended %s after SIGTERM", took.Round(time.Millisecond))
	require.Less(t, took, 1500*time.Millisecond,
		"it waited for the sealer's lock, which takes two seconds to fail")
	require.NotContains(t, c.Log.String(), "sealing failed")
	require.NotContains(t, c.Log.String(), "level=ERROR")
	// its backend may be a moment behind
	apptest.Until(t, 5*time.Second, "a session of the process that has ended stays", func() bool {
		return apptest.Read[int](t, d,
			`select count(*) from pg_stat_activity where application_name ~ '^dg (auth|recheck|reads|exports)$'`) ==
			0
	})
	require.Zero(t,
		apptest.Read[int](t, d, `select count(*) from pg_locks where locktype = 'advisory'`))
	require.NoError(t, tx.Rollback(t.Context()))

	again := apptest.ServeOn(t, dir)
	apptest.Until(t, 20*time.Second, "the next start does not seal", func() bool {
		return apptest.Read[int](t, d, `select count(*) from fork_days`) == days
	})
	again.Stop()
}
