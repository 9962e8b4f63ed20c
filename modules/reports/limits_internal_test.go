package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A report is large by the players that it lists, not by the size of its organisation. A suppressed
// one is never large.
func TestReportIsLargeByWhatItLists(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Exec(insertSQL, testFrom, 10, 500)
	const bigGroup = "77777777-7777-4777-8777-777777777777"
	whole := Period{From: testFrom, Days: 100}
	short := Period{From: testFrom.AddDate(0, 0, 50), Days: 10}
	large := func(p Period, group string) bool {
		q := query(p.From, p.Days, group)
		_, err := e.statistics(t.Context(), q)
		require.NoError(t, err)
		return e.reports.limits.isLarge.Get(q.ForkID + q.GroupID)
	}
	require.False(t, large(whole, ""), "few players")

	e.Players(testOrg, 5960)
	e.group(bigGroup, `select i from generate_series(1, 5500) i`)
	require.False(t, large(whole, ""), "many players, few plays")
	e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), $1, $2, i, $3::timestamptz + i * interval '1 s', '' from generate_series(1, 6000) i`,
		testOrg, testFork, testFrom)
	require.True(t, large(whole, ""), "many players, many plays")
	require.False(t, large(short, ""), "a period without plays")
	require.False(t, large(whole, testGroup), "a small group")
	require.True(t, large(whole, bigGroup), "a large group")
	require.False(t, large(short, bigGroup), "suppressed")
	e.seal(t)
	require.True(t, large(whole, bigGroup))

	// The next report on the fork waits among the large ones.
	report, err := e.reports.Open(t.Context(), query(whole.From, whole.Days, bigGroup))
	require.NoError(t, err)
	require.EqualValues(t, 1, e.reports.limits.large.Stats().Running)
	report.Close()
}
