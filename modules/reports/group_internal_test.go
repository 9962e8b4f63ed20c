package reports

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/org"
	"dg/platform/format"
	"dg/platform/testkit"
)

// rules.md, Order of checks: opening a report returns the owner of the group and reads no play. The
// figures come from the same snapshot. A group of another organisation is never read.
func TestOwnerIsKnownBeforeAPlayIsRead(t *testing.T) {
	e := newEnv(t)
	const otherOrg = otherFork // ids of other tables, here and below
	const otherGroup = testFork
	e.Organisation(testkit.Organisation{ID: otherOrg})
	e.Exec(`insert into player_groups (id, org_id, name) values ($2, $1, 'H')`, otherOrg,
		otherGroup)
	e.insert(testFrom, 10, 2_000)
	// opened opens a report and an export, and reads them after the change
	opened := func(group, change string) (Header, Statistics, []error) {
		q := query(testFrom, 10, group)
		report, err := e.reports.Open(t.Context(), q)
		require.NoError(t, err)
		defer report.Close()
		export, err := e.reports.OpenExport(t.Context(), q, format.CSV)
		require.NoError(t, err)
		defer export.Close()
		require.Equal(t, report.Header, export.Header)
		e.Exec(change)
		stats, statsErr := e.reports.Statistics(t.Context(), report)
		_, err = export.AppendRows(t.Context(), nil, 1)
		return report.Header, stats, []error{statsErr, err}
	}
	e.Exec(`alter table plays rename score to unread`)
	header, _, errs := opened(testGroup, `select`)
	require.Equal(t, Header{GroupOwner: testOrg, ReportingMode: org.Nominative}, header)
	for _, err := range errs {
		require.ErrorContains(t, err, `column "score" does not exist`)
	}
	e.Exec(`alter table plays rename unread to score`)

	_, stats, errs := opened(testGroup, `delete from plays`)
	require.Equal(t, []error{nil, nil}, errs)
	require.Positive(t, stats.Plays)

	header, _, errs = opened(otherGroup, `select`)
	require.Equal(t, otherOrg, header.GroupOwner)
	for _, err := range errs {
		require.ErrorIs(t, err, ErrGroupNotFound)
	}
	require.Zero(t, e.DB.Pool.Stat().AcquiredConns())

	for _, unknown := range []string{testOrg, "G", "\x00"} {
		_, err := e.statistics(t.Context(), query(testFrom, 10, unknown))
		require.ErrorIs(t, err, ErrGroupNotFound)
	}
}

// rules.md, Anonymity: a group is suppressed when fewer than 5 of its members played in the period.
// The list of shown groups agrees with the reports.
func TestMembersAreActiveWithinThePeriod(t *testing.T) {
	e := newEnv(t)
	q := query(testFrom, 1, testGroup)
	play := func(member int, at time.Time) { e.play(testFork, 4*member+1, at) }
	suppressed := func() bool {
		report, err := e.reports.Open(t.Context(), q)
		require.NoError(t, err)
		defer report.Close()
		shown, err := e.reports.ShownGroups(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, !report.Suppressed, slices.Contains(shown, testGroup))
		return report.Suppressed
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
