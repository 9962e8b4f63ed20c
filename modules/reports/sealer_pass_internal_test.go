package reports

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/modules/reports/sealer"
	"dg/modules/reports/snapshot"
)

// pass runs the sealer until its first pass is over and returns what it reported.
func (e *env) pass(t *testing.T) (done sealer.Result, failure error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	e.sealer.OnPass = func(sealed sealer.Result, err error) {
		done = sealed
		failure = err
		stop()
	}
	e.sealer.Run(ctx)
	return done, failure
}

// A pass reports what it leaves unsealed.
func TestPassReportsTheBacklog(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.exec(t, insertSQL, testFrom, 20, 500)
	release := e.hold(t, `select pg_advisory_xact_lock(`+lockText+`)`)
	_, err := e.pass(t)
	require.ErrorIs(t, err, sealer.ErrLocked)
	release()
	e.exec(t, `revoke insert on fork_days from dg_app`)
	done, err := e.pass(t)
	require.Error(t, err)
	require.NotErrorIs(t, err, sealer.ErrLocked)
	require.Greater(t, done.Backlog(), 20, "of two forks")
	e.exec(t, `grant insert on fork_days to dg_app`)
	done, err = e.pass(t)
	require.NoError(t, err)
	require.Zero(t, done.Backlog())
}

// Organisations take turns: behind an organisation's first fork comes another organisation's, and
// then its second.
func TestOrganisationsAreSealedInTurn(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const lastOrg = "00000000-0000-4000-8000-00000000000a"
	const lastFork = "00000000-0000-4000-8000-00000000000b"
	e.exec(t, insertSQL, testFrom, 5, 100)
	e.exec(t,
		`insert into organisations (id, slug, name, plan, reporting_mode)
			values ($1, 'last', 'Last', 'pro', 'nominative')`,
		lastOrg)
	e.exec(t,
		`insert into forks (id, org_id, game_id, slug, title, major, status, visibility,
			source_locale, suspended, created_at, updated_at)
		select $1, $2, $3, 'f', 'F', 1, 'active', 'public', 'en', false, now(), now()`, lastFork,
		lastOrg, testOrg)
	e.exec(t,
		`insert into players (id, org_id, ordinal, label, display_name)
			values (gen_random_uuid(), $1, 1, 'P-1', 'Player 1')`,
		lastOrg)
	e.exec(t,
		`insert into plays (id, org_id, fork_id, player, started_at, answers)
			values (gen_random_uuid(), $1, $2, 1, $3, '')`,
		lastOrg, lastFork, testFrom)
	e.seal(t)
	rows, err := e.db.Owner.Pool.Query(t.Context(), `select fork_id::text from fork_days group by 1
		order by min(xmin::text::bigint)`)
	require.NoError(t, err)
	forks, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{testFork, lastFork, otherFork}, forks)
}

// Between two searches a pass seals what is marked and the last week, of forks with segments. A
// search also finds earlier days that had no plays before; the next one is an hour after the last
// that left nothing.
func TestPassesBetweenSearches(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	clock := testNow
	e.sealer.Now = func() time.Time { return clock }
	e.exec(t, insertSQL, testFrom, 20, 5_000) // each day of both forks has some
	once := func(searched time.Time, days int) time.Time {
		t.Helper()
		var done sealer.Result
		e.sealer.OnPass = func(sealed sealer.Result, err error) {
			done = sealed
			require.NoError(t, err)
		}
		searched = e.sealer.RunOnce(t.Context(), searched)
		require.Equal(t, days, done.Days)
		return searched
	}
	release := e.hold(t,
		`select pg_advisory_xact_lock_shared(uuid_hash('`+testFork+`'), date '`+
			testFrom.Format(time.DateOnly)+`' - date '2000-01-01')`)
	searched := once(time.Time{}, 39) // of two forks
	require.Zero(t, searched, "a day was busy")
	release()
	searched = once(searched, 1)
	require.Equal(t, clock, searched)

	today := clock.UTC().Truncate(snapshot.Day)
	forks := []any{testFork, otherFork}
	for _, at := range []time.Time{
		testFrom, testFrom.Add(-10 * snapshot.Day), today.Add(-snapshot.Day), today.Add(-week),
		today.Add(-week - snapshot.Day),
	} {
		for _, f := range forks {
			e.exec(t,
				`insert into plays (id, org_id, fork_id, player, started_at, answers)
					values (gen_random_uuid(), $1, $2, 1, $3, '')`,
				testOrg, f, at)
		}
	}
	e.exec(t, `delete from fork_days where fork_id = $1`, otherFork)
	e.exec(t, `delete from fork_months where fork_id = $1`, otherFork)
	clock = clock.Add(time.Hour - 1)
	searched = once(searched, 3) // the first fork's marked day, and its two of the week
	clock = clock.Add(1)
	once(searched, 2+24)
	once(clock, 0)
	e.agrees(t)
}
