package reports

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/org"
	"dg/platform/testkit"
)

// rules.md, Order of checks: opening a report returns the owner of the group and reads no play. The
// figures come from the same snapshot. A group of another organisation is never read.
func TestOwnerIsKnownBeforeAPlayIsRead(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const otherOrg = otherFork // ids of other tables, here and below
	const otherGroup = testFork
	e.Organisation(testkit.Organisation{ID: otherOrg})
	e.Exec(`insert into player_groups (id, org_id, name) values ($2, $1, 'H')`, otherOrg,
		otherGroup)
	e.insert(testFrom, 10, 2_000)
	q := query(testFrom, 10, testGroup)
	open := func() (*Report, *Export) {
		report, err := e.reports.Open(t.Context(), q)
		require.NoError(t, err)
		export, err := e.reports.OpenExport(t.Context(), q, CSV)
		require.NoError(t, err)
		header, err := e.reports.Header(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, []Header{header, header}, []Header{report.Header, export.Header})
		return report, export
	}
	e.Exec(`alter table plays rename score to unread`)
	report, export := open()
	require.Equal(t, Header{GroupOwner: testOrg, ReportingMode: org.Nominative}, report.Header)
	_, err := e.reports.Statistics(t.Context(), report)
	require.ErrorContains(t, err, `column "score" does not exist`)
	export.SetContext(t.Context())
	_, err = export.AppendNext(nil)
	require.ErrorContains(t, err, `column "score" does not exist`)
	export.Close()
	report.Close()
	e.Exec(`alter table plays rename unread to score`)

	report, export = open()
	e.Exec(`delete from plays`)
	stats, err := e.reports.Statistics(t.Context(), report)
	require.NoError(t, err)
	require.Positive(t, stats.Plays)
	export.SetContext(t.Context())
	_, err = export.AppendNext(nil)
	require.NoError(t, err)
	export.Close()
	report.Close()

	q.GroupID = otherGroup
	report, export = open()
	require.Equal(t, otherOrg, report.GroupOwner)
	_, err = e.reports.Statistics(t.Context(), report)
	require.ErrorIs(t, err, ErrGroupNotFound)
	export.SetContext(t.Context())
	_, err = export.AppendNext(nil)
	require.ErrorIs(t, err, ErrGroupNotFound)
	export.Close()
	report.Close()
	require.Zero(t, e.DB.Pool.Stat().AcquiredConns())

	for _, unknown := range []string{testOrg, "G", "\x00"} {
		q.GroupID = unknown
		_, err = e.reports.Header(t.Context(), q)
		require.ErrorIs(t, err, ErrGroupNotFound)
	}
}

// rules.md, Anonymity: a group is suppressed when fewer than 5 of its members played in the period.
// The list of shown groups agrees with the reports.
func TestMembersAreActiveWithinThePeriod(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	q := query(testFrom, 1, testGroup)
	play := func(member int, at time.Time) { e.play(testFork, 4*member+1, at) }
	suppressed := func() bool {
		header, err := e.reports.Header(t.Context(), q)
		require.NoError(t, err)
		shown, err := e.reports.ShownGroups(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, !header.Suppressed, slices.Contains(shown, testGroup))
		return header.Suppressed
	}
	for member := range 4 {
		play(member, testFrom)
		play(member, testFrom.Add(time.Hour))
	}
	e.play(otherFork, 4*7+1, testFrom)
	play(4, testFrom.Add(-time.Millisecond))
	play(5, testFrom.Add(day))
	require.True(t, suppressed())
	play(6, testFrom.Add(day-time.Millisecond))
	require.False(t, suppressed())
}
