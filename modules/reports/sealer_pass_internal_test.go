package reports

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"

	"dg/modules/reports/sealer"
)

// Organisations take turns, a fork each.
func TestOrganisationsAreSealedInTurn(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const lastOrg = "00000000-0000-4000-8000-00000000000a"
	const lastFork = "00000000-0000-4000-8000-00000000000b"
	e.Exec(insertSQL, testFrom, 5, 100)
	e.Organisation(fixtures.Organisation{ID: lastOrg})
	last := e.Fork(fixtures.Fork{ID: lastFork, OrganisationID: lastOrg})
	e.Play(fixtures.Play{Fork: last, Player: e.Players(lastOrg, 1)[0], StartedAt: testFrom})
	e.seal(t)
	rows, err := e.Owner.Pool.Query(t.Context(), `select fork_id::text from fork_days group by 1
		order by min(xmin::text::bigint)`)
	require.NoError(t, err)
	forks, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{testFork, lastFork, otherFork}, forks)
}

// Between two searches a pass seals dirty days and the last week, of forks with segments. A search
// also finds new plays of earlier days. It comes an hour after the last one without a backlog.
func TestPassesBetweenSearches(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	clock := testNow
	e.sealer.Now = func() time.Time { return clock }
	e.Exec(insertSQL, testFrom, 20, 5_000) // each day of both forks has some
	once := func(lastSearch time.Time, days int) time.Time {
		t.Helper()
		var done sealer.Result
		e.sealer.OnPass = func(sealed sealer.Result, err error) {
			done = sealed
			require.NoError(t, err)
		}
		lastSearch = e.sealer.RunOnce(t.Context(), lastSearch)
		require.Equal(t, days, done.Days)
		return lastSearch
	}
	writer := e.Begin(lockDay, testFork, testFrom)
	lastSearch := once(time.Time{}, 39) // of two forks
	require.Zero(t, lastSearch, "a day was busy")
	require.NoError(t, writer.Rollback(t.Context()))
	lastSearch = once(lastSearch, 1)
	require.Equal(t, clock, lastSearch)

	today := clock.UTC().Truncate(day)
	for _, fork := range []string{testFork, otherFork} {
		e.play(fork, 1, testFrom, testFrom.Add(-10*day), today.Add(-day),
			today.Add(-week), today.Add(-week-day))
	}
	e.Exec(`delete from fork_days where fork_id = $1`, otherFork)
	e.Exec(`delete from fork_months where fork_id = $1`, otherFork)
	clock = clock.Add(time.Hour - 1)
	lastSearch = once(lastSearch, 3) // the first fork's marked day, and its two of the week
	clock = clock.Add(1)
	once(lastSearch, 2+24)
	once(clock, 0)
	e.agrees(t)
}
