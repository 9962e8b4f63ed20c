package reports

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/reports/snapshot"
	"dg/platform/testkit/fixtures"
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
		testOrg, end.Add(-84*snapshot.Day), end)
	if err != nil {
		return o, err
	}
	players := map[string]bool{}
	var fork string
	var at time.Time
	var player int
	var completed bool
	_, err = pgx.ForEachRow(rows, []any{&fork, &at, &player, &completed}, func() error {
		o.Forks[fork].Weeks[int(at.Sub(end.Add(-84*snapshot.Day))/(7*snapshot.Day))]++
		ago := int(end.Sub(at)-1) / int(28*snapshot.Day)
		if ago > 1 {
			return nil
		}
		total := []*OverviewTotals{&o.Now, &o.Before}[ago]
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
	for _, total := range []*OverviewTotals{&o.Now, &o.Before} {
		total.CompletionRate = rate(total.Completed, total.Plays)
	}
	return o, err
}

// overviewDiffers compares an overview with the plays, in the transaction of a connection.
func overviewDiffers(ctx context.Context, conn *pgxpool.Conn, p Period) error {
	want, err := plainOverview(ctx, conn, p)
	if err != nil {
		return err
	}
	s := snapshot.On(conn, Query{OrganisationID: testOrg, Period: overviewPeriod(p)})
	got, err := newOverviewReader(s).read(ctx, maxOverviewPlays)
	if err == nil && !assert.ObjectsAreEqual(want, got) {
		err = fmt.Errorf("the overview until %s: %+v and %+v instead of %+v and %+v", p, got.Now,
			got.Before, want.Now, want.Before)
	}
	return err
}

// The list of reports shows what the plays say, whatever of them is sealed, written since, or
// another organisation's.
func TestOverviewIsThatOfThePlays(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	random := rand.New(rand.NewPCG(8, 8))
	e.Exec(insertSQL, testFrom, 100, 3_000)
	for range 6 {
		e.seal(t)
		for range 3 {
			require.NoError(t, e.write(t.Context(), random, e.Owner))
		}
		p := Period{
			From: testFrom.Add(time.Duration(random.IntN(120)) * snapshot.Day),
			Days: 1 + random.IntN(40),
		}
		want, err := plainOverview(t.Context(), e.DB.Pool, p)
		require.NoError(t, err)
		got, err := e.reports.Overview(t.Context(), Query{OrganisationID: testOrg, Period: p})
		require.NoError(t, err)
		require.Equal(t, want, got, p)
		require.Equal(t, want.Now.Plays, got.Forks[testFork].Plays()+got.Forks[otherFork].Plays())
	}
	require.Positive(t, e.count(`select count(*) from fork_days`))
}

// Nothing is counted for an organisation that does not exist, nor is another's.
func TestOverviewIsOfOneOrganisation(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Exec(insertSQL, testFrom, 100, 300)
	const other = "00000000-0000-4000-8000-000000000009"
	e.Organisation(fixtures.Organisation{ID: other})
	o, err := e.reports.Overview(t.Context(), Query{
		OrganisationID: other,
		Period:         Period{From: testFrom, Days: 100},
	})
	require.NoError(t, err)
	require.Equal(t, Overview{Counted: true, Forks: map[string]*ForkOverview{}}, o)
}

// A day with too many plays for a segment counts as it does in the statistics, and a damaged
// segment is not believed.
func TestOverviewCountsLargeAndDamagedDays(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	var found []Damage
	e.reports.OnDamage = func(d Damage) { found = append(found, d) }
	e.sealer.MaxDayPlays = 20
	for i, plays := range []int{60, 10, 12, 14} {
		e.Exec(insertSQL, testFrom.AddDate(0, 0, 5+9*i), 1, plays)
	}
	e.Exec(`update plays set fork_id = $1`, testFork)
	require.Equal(t, 1, e.seal(t).Large)
	p := Period{From: testFrom, Days: 40}
	want, err := plainOverview(t.Context(), e.DB.Pool, p)
	require.NoError(t, err)
	require.EqualValues(t, 96, want.Now.Plays+want.Before.Plays)
	e.Exec(`update fork_days set sums = set_byte(sums, 6, 77) where day = $1`,
		testFrom.AddDate(0, 0, 14))
	e.Exec(`update fork_days set segment = set_byte(segment, 9, 77) where day = $1`,
		testFrom.AddDate(0, 0, 23))
	got, err := e.reports.Overview(t.Context(), Query{OrganisationID: testOrg, Period: p})
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Len(t, found, 2)
}

// Beyond the bound plays are counted, and players are not.
func TestOverviewHasABound(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Exec(insertSQL, testFrom.AddDate(0, 0, 30), 1, 100)
	q := Query{OrganisationID: testOrg, Period: Period{From: testFrom, Days: 60}}
	e.reports.maxOverviewPlays = 1999
	o, err := e.reports.Overview(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, []any{false, OverviewTotals{Plays: 100}}, []any{o.Counted, o.Before})
	e.seal(t)
	o, err = e.reports.Overview(t.Context(), q)
	require.NoError(t, err)
	require.True(t, o.Counted, "segments cost less")
	require.Positive(t, o.Before.Players)
}
