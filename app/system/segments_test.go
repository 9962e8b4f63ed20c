package system

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// Stopped while it seals, dg ends promptly without an error in the log, and the next start seals
// the rest. `dg segments rebuild` makes the same segments again from the plays,
// also of a damaged one, unless another sealer holds the lock.
func TestSegmentsCommand(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	h := apptest.NewHistory(t, 5, apptest.Sealable)
	h.ImportInto(t, dir)
	d := apptest.OpenAdminDB(t, dir)
	stopsWhileSealing(t, dir, d)
	sealed := apptest.Segments(t, d)
	require.Greater(t, len(sealed), 290)
	d.Do(t, `update fork_days set segment = set_byte(segment, octet_length(segment) - 1,
			(get_byte(segment, octet_length(segment) - 1) + 2) % 60)
		where day = (select max(day) from fork_days)`)
	require.NotEqual(t, sealed, apptest.Segments(t, d))
	release := holdLock(t, d, `select pg_advisory_xact_lock(x'64677365616c'::bigint)`)
	apptest.Refuses(t, "another process holds the sealer lock", dir, "segments", "rebuild",
		"--wait", "200ms")
	release()
	require.Regexp(t, `^Sealed 300 days and \d+ months`, apptest.Succeeds(t, dir, "segments", "rebuild"))
	require.Equal(t, sealed, apptest.Segments(t, d))
}

func stopsWhileSealing(t *testing.T, dir string, d *apptest.AdminDB) {
	t.Helper()
	const segments = `select (select count(*) from fork_days) + (select count(*) from fork_months)`
	all := apptest.Read[int](t, d, segments)
	d.Do(t, `delete from fork_days; delete from fork_months`)
	release := holdLock(t, d, `lock table fork_days in share row exclusive mode`)
	c := apptest.ServeOn(t, dir)
	apptest.Until(t, 10*time.Second, "the sealer does not come to write", func() bool {
		return apptest.Read[bool](t, d, `select exists (select from pg_stat_activity
			where wait_event_type = 'Lock' and query like '/* reports.sealDay */%')`)
	})
	begun := time.Now()
	c.Stop()
	require.Less(t, time.Since(begun), 1500*time.Millisecond,
		"it waited for the sealer's lock, which takes two seconds to fail")
	require.NotRegexp(t, "sealing failed|level=ERROR", c.Log.String())
	apptest.Until(t, 5*time.Second, "a session of the process that has ended stays", func() bool {
		return apptest.Read[int](t, d, `select (select count(*) from pg_stat_activity
				where application_name ~ '^dg (requests|snapshots|recheck)$')
			+ (select count(*) from pg_locks where locktype = 'advisory'
				and database = (select oid from pg_database where datname = current_database()))`) == 0
	})
	release()
	again := apptest.ServeOn(t, dir)
	apptest.Until(t, time.Minute, "the next start does not seal", func() bool {
		return apptest.Read[int](t, d, segments) == all
	})
	again.Stop()
}
