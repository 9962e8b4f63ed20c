package reports

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"
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
	of := Query{OrganisationID: testOrg, Period: overviewPeriod(q.Period)}
	got, err := newSnapshot(s.conn, of, true).overview(ctx, maxOverviewPlays)
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
		q.OmitLists = true
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

// plainOverview counts the plays one by one.
func plainOverview(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, p Period) (Overview, error) {
	o := Overview{Counted: true, Forks: map[string]*ForkOverview{testFork: {}, otherFork: {}}}
	end := p.End()
	for fork, f := range o.Forks {
		var weeks []int64
		var scores int64
		err := db.QueryRow(ctx, `select s.*, array(select (select count(*) from plays where fork_id = $1
			    and started_at >= week and started_at < week + interval '7 days')
			  from generate_series($2 - interval '84 days', $2 - interval '1 day', interval '7 days') week)
			  from (select count(distinct player), count(score), coalesce(sum(score), 0) from plays where fork_id = $1
			    and started_at >= $2::timestamptz - interval '28 days' and started_at < $2) s`,
			fork, end).Scan(&f.Players, &f.Completed, &scores, &weeks)
		if err != nil {
			return o, err
		}
		copy(f.Weeks[:], weeks)
		f.AvgScore = meanScore(scores, f.Completed)
	}
	for i, total := range []*OverviewTotals{&o.Current, &o.Earlier} {
		err := db.QueryRow(ctx, `select count(*), count(score), count(distinct player) from plays
			where org_id = $1 and started_at >= $2 and started_at < $3`, testOrg,
			end.AddDate(0, 0, -28*(i+1)), end.AddDate(0, 0, -28*i)).
			Scan(&total.Plays, &total.Completed, &total.Players)
		if err != nil {
			return o, err
		}
		total.CompletionRate = rate(total.Completed, total.Plays)
	}
	return o, nil
}

// Above the bound an overview counts plays only. It reports damaged segments.
func TestOverviewHasABound(t *testing.T) {
	e := newEnv(t)
	e.insert(testFrom.AddDate(0, 0, 30), 1, 100)
	q := Query{OrganisationID: testOrg, Period: Period{From: testFrom, Days: 60}}
	e.reports.maxOverviewPlays = 99
	o, err := e.reports.Overview(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, []any{false, OverviewTotals{Plays: 100}}, []any{o.Counted, o.Earlier})
	e.reports.maxOverviewPlays = 100
	e.seal(t)
	o, err = e.reports.Overview(t.Context(), q)
	require.NoError(t, err)
	require.True(t, o.Counted)
	require.Positive(t, o.Earlier.Players)

	found := 0
	e.reports.OnDamage = func(Query, error) { found++ }
	e.Exec(`update fork_days set sums = set_byte(sums, 6, 77) where fork_id = $1`, testFork)
	damaged, err := e.reports.Overview(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, o, damaged)
	require.Equal(t, 1, found)
}
