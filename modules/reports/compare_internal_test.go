package reports

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/org"

	"dg/modules/reports/snapshot"
)

// differs compares a random report from segments, and the overview, with the plays in one snapshot.
func (e *env) differs(ctx context.Context, random *rand.Rand) error {
	q := query(testFrom.AddDate(0, 0, random.IntN(60)), 1+random.IntN(110),
		[]string{"", "", testGroup}[random.IntN(3)])
	s, err := snapshot.Open(ctx, e.DB, q, true)
	if err != nil {
		return err
	}
	defer s.Close()
	r := newStatisticsReader(s)
	fromSegments := newAccumulator(q.Period)
	batch := &pgx.Batch{}
	queue := r.queueAll
	if s.Meta.Grouped {
		queue = r.queueGroup
	}
	queue(batch, fromSegments)
	if err := s.Send(ctx, batch); err != nil {
		return err
	}
	fromPlays := newAccumulator(q.Period)
	if err := r.plays.Each(ctx, fromPlays.Add); err != nil {
		return err
	}
	label := func(ordinal int32) string { return fmt.Sprint(ordinal) }
	if a, b := newStatistics(fromSegments, q.Period, label),
		newStatistics(fromPlays, q.Period, label); !sameStatistics(a, b) {
		return fmt.Errorf("%s (group %q) differs: %d plays from %d sealed days and %d months, %d from the plays",
			q.Period, q.GroupID, a.Plays, len(s.Meta.Sealed.Days), len(s.Meta.Sealed.Months),
			b.Plays)
	}
	if s.Meta.Grouped {
		return nil
	}
	return overviewDiffers(ctx, s.Conn, q.Period)
}

// sameStatistics compares the shown figures.
func sameStatistics(a, b Statistics) bool {
	players := assert.ObjectsAreEqual(a.Players(), b.Players())
	for _, s := range []*Statistics{&a, &b} {
		s.Player = nil
	}
	return players && assert.ObjectsAreEqual(a, b)
}

// wrongAnswers compares the service's answers with the plays, and returns those that differ or fail.
func (e *env) wrongAnswers(t *testing.T, q ...Query) (wrong []string) {
	t.Helper()
	label := func(ordinal int32) string { return fmt.Sprintf("Player %d", ordinal) }
	for _, q := range q {
		s, err := snapshot.Open(t.Context(), e.DB, q, false)
		require.NoError(t, err)
		truth := newAccumulator(q.Period)
		require.NoError(t, newStatisticsReader(s).plays.Each(t.Context(), truth.Add))
		want := newStatistics(truth, q.Period, label)
		want.ReportingMode = org.Nominative
		s.Close()
		check := func(what string, equal bool, err error) {
			if err != nil || !equal {
				wrong = append(wrong, fmt.Sprintf("%s of %s (group %q): %v", what, q.Period, q.GroupID, err))
			}
		}
		got, err := e.statistics(t.Context(), q)
		check("statistics", sameStatistics(want, got), err)
		want.Player = nil
		want.Skills = nil
		q.TotalsOnly = true
		got, err = e.statistics(t.Context(), q)
		check("totals", assert.ObjectsAreEqual(want, got), err)
		wantOverview, err := plainOverview(t.Context(), e.DB.Pool, q.Period)
		require.NoError(t, err)
		overview, err := e.reports.Overview(t.Context(),
			Query{OrganisationID: testOrg, Period: q.Period})
		check("overview", assert.ObjectsAreEqual(wantOverview, overview), err)
	}
	return wrong
}
