package system

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// dg segments rebuild makes the same segments again from the plays, also of a damaged one, unless
// another sealer holds the lock.
func TestSegmentsCommand(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	h := apptest.NewHistory(t, 5, apptest.Sealable)
	h.ImportInto(t, dir)
	d := apptest.OpenAdminDB(t, dir)
	sealed := segments(t, d)
	require.Greater(t, len(sealed), 290)
	d.Exec(`update fork_days set segment = set_byte(segment, octet_length(segment) - 1,
			(get_byte(segment, octet_length(segment) - 1) + 2) % 60)
		where day = (select max(day) from fork_days)`)
	require.NotEqual(t, sealed, segments(t, d))
	tx := d.Begin(`select pg_advisory_xact_lock(hashtextextended('sealer', 0))`)
	apptest.Refuses(t, "another process holds the lock: try again", dir, "segments", "rebuild",
		"--wait", "200ms")
	require.NoError(t, tx.Rollback(t.Context()))
	require.Regexp(t, `^Sealed 300 days and \d+ months`, apptest.Succeeds(t, dir, "segments", "rebuild"))
	require.Equal(t, sealed, segments(t, d))
}

// segments returns the checksum of each segment that reports may read.
func segments(t *testing.T, d *testkit.World) (sums map[string]string) {
	t.Helper()
	text := testkit.One[[]byte](d, `select coalesce(json_object_agg(at, sum), '{}') from (
		select 'day ' || fork_id || ' ' || day as at, md5(sums || segment) as sum
		  from fork_days d where not exists (
			select from unsealed_days u where (u.fork_id, u.day) = (d.fork_id, d.day))
		union all select 'month ' || fork_id || ' ' || month, md5(segment)
		  from fork_months m where not exists (
			select from unsealed_months u where (u.fork_id, u.month) = (m.fork_id, m.month))) s`)
	require.NoError(t, json.Unmarshal(text, &sums))
	return sums
}
