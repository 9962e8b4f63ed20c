package reports

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// differs compares a random report from segments, and the overview, with the plays in one snapshot.
func (e *env) differs(ctx context.Context, random *rand.Rand) error {
	q := query(testFrom.AddDate(0, 0, random.IntN(60)), 1+random.IntN(110),
		[]string{"", "", testGroup}[random.IntN(3)])
	s, err := open(ctx, e.DB, q, true)
	if err != nil {
		return err
	}
	defer s.close()
	s.Suppressed = false
	a, err := s.statistics(ctx)
	if err != nil {
		return err
	}
	plain := *s
	plain.days = nil
	plain.months = nil
	b, err := plain.statistics(ctx)
	if err != nil {
		return err
	}
	if !sameStatistics(a, b) {
		return fmt.Errorf("%s (group %q) differs: %d plays from %d sealed days and %d months, %d from the plays",
			q.Period, q.GroupID, a.Plays, len(s.days), len(s.months), b.Plays)
	}
	want, err := plainOverview(ctx, s.conn, q.Period)
	if err != nil {
		return err
	}
	got, err := newSnapshot(s.conn, Query{OrganisationID: testOrg, Period: overviewPeriod(q.Period)}, true).
		overview(ctx, maxOverviewPlays)
	if err == nil && !assert.ObjectsAreEqual(want, got) {
		err = fmt.Errorf("the overview until %s: %+v instead of %+v", q.Period, got, want)
	}
	return err
}

func sameStatistics(a, b Statistics) bool {
	players := assert.ObjectsAreEqual(a.Players(), b.Players())
	a.Player = nil
	b.Player = nil
	return players && assert.ObjectsAreEqual(a, b)
}

// requireRight compares the service's answers with the plays.
func (e *env) requireRight(t *testing.T) {
	for _, q := range []Query{ // they read sums, months, days and groups
		query(testFrom, 99, ""),
		query(testFrom, 15, ""),
		query(testFrom.Add(15*day), 84, testGroup),
		query(testFrom, 99, testGroup),
	} {
		s, err := open(t.Context(), e.DB, q, false)
		require.NoError(t, err)
		want, err := s.statistics(t.Context())
		s.close()
		require.NoError(t, err)
		got, err := e.statistics(t.Context(), q)
		require.NoError(t, err)
		require.True(t, sameStatistics(want, got), "%s, group %q", q.Period, q.GroupID)
		want.Player = nil
		want.Skills = nil
		q.TotalsOnly = true
		got, err = e.statistics(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, want, got)
		wantOverview, err := plainOverview(t.Context(), e.DB.Pool, q.Period)
		require.NoError(t, err)
		overview, err := e.reports.Overview(t.Context(),
			Query{OrganisationID: testOrg, Period: q.Period})
		require.NoError(t, err)
		require.Equal(t, wantOverview, overview)
	}
}
