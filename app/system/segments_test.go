package system

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// dg segments rebuild makes the same segments again from the plays, also of a damaged one. Package
// reports proves that it waits for another sealer.
func TestSegmentsCommand(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	apptest.NewHistory(t, 5, apptest.Sealable).ImportInto(t, dir)
	d := apptest.OpenAdminDB(t, dir)
	segments := func() string {
		return testkit.One[string](d, `select string_agg(md5(sums || segment), '' order by fork_id, day)
			from fork_days`)
	}
	sealed := segments()
	d.Exec(`update fork_days set segment = set_byte(segment, octet_length(segment) - 1,
			(get_byte(segment, octet_length(segment) - 1) + 2) % 60)
		where day = (select max(day) from fork_days)`)
	require.NotEqual(t, sealed, segments())
	require.Regexp(t, `^Sealed 300 days and \d+ months`, apptest.Succeeds(t, dir, "segments", "rebuild"))
	require.Equal(t, sealed, segments())
}
