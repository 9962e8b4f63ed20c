package reports

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/fairshare"
)

// Statistics, their HEAD and exports of a group ask who owns it before a play is read, and what is
// answered is the report's error.
func TestReportAsksAboutTheOwnerOfItsGroup(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	refused := errors.New("refused")
	var asked []string
	q := Query{
		OrganisationID: testOrg,
		ForkID:         testFork,
		Period:         Period{From: testFrom, Days: 1},
		GroupID:        testGroup,
	}
	q.MayReadGroup = func(organisationID string) error {
		asked = append(asked, organisationID)
		return refused
	}
	_, err := e.reports.Statistics(t.Context(), q, func(l *fairshare.Lease) { t.Cleanup(l.Release) })
	require.ErrorIs(t, err, refused)
	_, err = e.reports.Suppressed(t.Context(), q)
	require.ErrorIs(t, err, refused)
	_, err = e.reports.Export(t.Context(), q, CSV)
	require.ErrorIs(t, err, refused)
	require.Equal(t, []string{testOrg, testOrg, testOrg}, asked)

	q.GroupID = ""
	_, err = e.reports.Suppressed(t.Context(), q)
	require.NoError(t, err, "without a group nobody is asked")
}

// rules.md, Anonymity: a group is suppressed when fewer than 5 of its members played in the period.
func TestMembersAreActiveWithinThePeriod(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	q := Query{
		OrganisationID: testOrg,
		ForkID:         testFork,
		Period:         Period{From: testFrom, Days: 1},
		GroupID:        testGroup,
	}
	play := func(member int, at time.Time) {
		e.exec(t, `insert into plays (id, org_id, fork_id, player, started_at, answers)
			values (gen_random_uuid(), $1, $2, $3, $4, '')`, testOrg, testFork, 4*member+1, at)
	}
	suppressed := func() bool {
		hidden, err := e.reports.Suppressed(t.Context(), q)
		require.NoError(t, err)
		return hidden
	}
	for member := range 4 {
		play(member, testFrom)
	}
	play(4, testFrom.Add(-time.Millisecond))
	play(5, testFrom.Add(day))
	require.True(t, suppressed())
	play(6, testFrom.Add(day-time.Millisecond))
	require.False(t, suppressed())
}
