package reports

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// plainOverview counts the plays one by one.
func plainOverview(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, p Period) (Overview, error) {
	o := Overview{Counted: true, Forks: map[string]*ForkOverview{testFork: {}, otherFork: {}}}
	end := p.End()
	for fork, f := range o.Forks {
		var weeks []int64
		err := db.QueryRow(ctx, `select (select count(distinct player) from plays where fork_id = $1
			  and started_at >= $2::timestamptz - interval '28 days' and started_at < $2),
			array(select (select count(*) from plays where fork_id = $1
			    and started_at >= week and started_at < week + interval '7 days')
			  from generate_series($2 - interval '84 days', $2 - interval '1 day', interval '7 days') week)`,
			fork, end).Scan(&f.Players, &weeks)
		if err != nil {
			return o, err
		}
		copy(f.Weeks[:], weeks)
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
	t.Parallel()
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
