package reports

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// querier is a pool, or a connection in a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// plainOverview counts the plays one by one.
func plainOverview(ctx context.Context, db querier, p Period) (Overview, error) {
	o := Overview{Counted: true, Forks: map[string]*ForkOverview{testFork: {}, otherFork: {}}}
	end := p.End()
	rows, err := db.Query(ctx,
		`select fork_id::text, started_at, player, score is not null from plays
			where org_id = $1 and started_at >= $2 and started_at < $3`,
		testOrg, end.Add(-84*day), end)
	if err != nil {
		return o, err
	}
	players := map[string]bool{}
	var fork string
	var at time.Time
	var player int
	var completed bool
	_, err = pgx.ForEachRow(rows, []any{&fork, &at, &player, &completed}, func() error {
		o.Forks[fork].Weeks[int(at.Sub(end.Add(-84*day))/(7*day))]++
		ago := int(end.Sub(at)-1) / int(28*day)
		if ago > 1 {
			return nil
		}
		total := []*OverviewTotals{&o.Current, &o.Earlier}[ago]
		total.Plays++
		total.Completed += int64(bit(completed))
		if name := fmt.Sprint(ago, player); !players[name] {
			players[name] = true
			total.Players++
		}
		if name := fmt.Sprint(fork, player); ago == 0 && !players[name] {
			players[name] = true
			o.Forks[fork].Players++
		}
		return nil
	})
	for _, total := range []*OverviewTotals{&o.Current, &o.Earlier} {
		total.CompletionRate = rate(total.Completed, total.Plays)
	}
	return o, err
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
