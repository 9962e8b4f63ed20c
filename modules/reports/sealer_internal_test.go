package reports

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/modules/reports/sealer"
	"dg/modules/reports/segment"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// One sealer works at a time. Another pass returns ErrLocked. A rebuild waits, and marks nothing if it times out.
func TestRebuildWaitsForAnotherSealer(t *testing.T) {
	e := newEnv(t)
	e.insertRandomPlays(testFrom, 100, 500)
	days := e.seal(t).Days
	rebuilder := newSealer(e.Owner)
	lock := e.Begin(`select pg_advisory_xact_lock(hashtextextended('sealer', 0))`)
	require.ErrorIs(t, tb.ErrorOf(e.sealer.Seal(t.Context())), postgres.ErrLocked)
	require.ErrorIs(t, tb.ErrorOf(rebuilder.Rebuild(t.Context(), 300*time.Millisecond)), postgres.ErrLocked)
	require.Zero(t, e.CountRows(`unsealed_days`))

	var result sealer.Result
	require.NoError(t, e.WhileWaiting(lock, func() (err error) {
		result, err = rebuilder.Rebuild(t.Context(), time.Minute)
		return err
	}, nil))
	require.Equal(t, sealer.Result{Days: days, Months: result.Months}, result, "every day is sealed again")
	require.Positive(t, result.Months)
	e.requireAgreement(t)
}

// Segments of another version are not read. Those of a later version stay until a write: two sealers must not compete.
func TestSegmentsOfAnotherVersionAreNotRead(t *testing.T) {
	e := newEnv(t)
	e.insertRandomPlays(testFrom, 100, 2000)
	firstPass := e.seal(t)
	const evenDaysSQL = `extract(day from day)::int % 2 = 0`
	for _, offset := range []int{-1, 1} {
		require.Equal(t, sealer.Result{}, e.seal(t), "nothing is due")
		e.Exec(`update fork_days set sums = set_byte(set_byte(sums, 0, $1), 1, 99),
			segment = set_byte(segment, 0, $1) || '\x07' where `+evenDaysSQL, segment.DayVersion+offset)
		e.Exec(`update fork_months set segment = set_byte(segment, 0, $1) || '\x0708'`, segment.MonthVersion+offset)
		e.requireAgreement(t)
		days := e.CountRows(`fork_days where ` + evenDaysSQL)
		if offset > 0 {
			require.Equal(t, sealer.Result{}, e.seal(t), "those of a later version")
			e.requireAgreement(t)
			e.Exec(`update plays set player = player`) // makes all days dirty
		}
		result := e.seal(t)
		if offset > 0 {
			days = firstPass.Days
		}
		require.Equal(t, sealer.Result{Days: days, Months: firstPass.Months}, result, "no others")
		e.requireAgreement(t)
		require.Equal(t, firstPass.Days, e.CountRows(`fork_days
			where get_byte(sums, 0) = $1 and get_byte(segment, 0) = $1`, segment.DayVersion))
	}
}

// A day with too many plays gets an empty segment. Result.Large counts the day once for each change.
func TestLargeDayIsCountedOnce(t *testing.T) {
	e := newEnv(t)
	e.sealer.MaxDayPlays = 20
	e.insertRandomPlays(testFrom.Add(20*day), 1, 400) // far above MaxDayPlays
	e.insertRandomPlays(testFrom.Add(50*day), 1, 10)
	e.Exec(`update plays set fork_id = $1`, testForkID)
	require.Equal(t, sealer.Result{Days: 1, Months: 2, Large: 1}, e.seal(t),
		"a month can be sealed: it is packed from its plays")
	require.Equal(t, sealer.Result{}, e.seal(t), "nothing is due")
	e.requireAgreement(t)

	e.Exec(`update plays set score = 1 where completed_at is not null and started_at < $1`, testFrom.Add(21*day))
	e.requireAgreement(t)
	require.Equal(t, sealer.Result{Months: 1, Large: 1}, e.seal(t))
	for plays, want := range map[int]sealer.Result{20: {Days: 1, Months: 1}, 21: {Months: 1, Large: 1}} {
		e.Exec(`delete from plays where started_at < $1`, testFrom.Add(21*day))
		e.AddPlays(testFork, plays, testFrom.Add(20*day), time.Second)
		e.requireAgreement(t)
		require.Equal(t, want, e.seal(t), "a segment takes 20")
		e.requireAgreement(t)
	}
}

// A month with too many plays is sealed without a tail. Reports on groups then read its days.
func TestLargeMonthIsSealedWithoutATail(t *testing.T) {
	e := newEnv(t)
	e.sealer.MaxMonthPlays = 370
	e.insertRandomPlays(testFrom, 99, 2000)
	e.Exec(`delete from plays where started_at >= '2024-01-15' and started_at < '2024-02-01'`)
	e.seal(t)
	months := e.CountRows(`fork_months where fork_id = $1`, testForkID)
	require.Equal(t, months-1, e.CountRows(`fork_months where fork_id = $1
		and head_bytes < octet_length(segment)`, testForkID), "December alone is too large")
	e.requireAgreement(t)
}

// After all plays of a month or fork are deleted, a pass removes its segments and marks, even if they are replicated.
func TestEmptiedMonthLeavesNeitherSegmentNorMark(t *testing.T) {
	e := newSealedEnv(t, 100, 2000)
	require.NoError(t, tb.Exec(t, tb.AsRole(e.URL, "postgres"), `create publication everything for all tables`))
	require.Zero(t, e.CountRows(`pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r' and relreplident
		<> 'f' and not exists (select from pg_constraint where conrelid = c.oid and contype = 'p')`))
	countRemaining := func(from, to string) int {
		return e.CountRows(`(select fork_id, day from fork_days union all select fork_id, month from fork_months
			union all table unsealed_days union all table unsealed_months) x
			where fork_id = $1 and day between $2 and $3`, testForkID, from, to)
	}
	e.Exec(`delete from plays where fork_id = $1 and started_at >= '2023-12-01' and started_at < '2024-01-01'`,
		testForkID)
	e.seal(t)
	e.requireAgreement(t)
	require.Zero(t, countRemaining("2023-12-01", "2023-12-31"))
	require.Positive(t, countRemaining("2023-11-01", "2024-03-01"))

	// A pass skips a month with a locked day. A later pass deletes the segment, even with fewer than MinPlays by then.
	e.Exec(`delete from plays where fork_id = $1 and started_at::date = '2024-01-31'`, testForkID)
	e.seal(t)
	writer := e.Begin(`select pg_advisory_xact_lock_shared(uuid_hash($1), $2::date - date '2000-01-01')`,
		testForkID, "2024-01-31")
	e.Exec(`delete from plays where fork_id = $1`, testForkID)
	e.sealer.MinPlays = 1_000_000
	require.Equal(t, 1, e.seal(t).Skipped)
	require.NoError(t, writer.Rollback(t.Context()))
	e.seal(t)
	require.Zero(t, countRemaining("2023-01-01", "2025-01-01"))
	e.requireAgreement(t)
}

// A failure in one fork is reported, and the other forks are sealed. A lost connection ends the pass.
func TestSealingContinuesAfterAFailure(t *testing.T) {
	e := newEnv(t)
	e.insertRandomPlays(testFrom, 99, 500)
	e.Exec(`create function refuse() returns trigger language plpgsql as $$ begin if new.fork_id = '` + testForkID +
		`' then raise exception 'no room for it'; end if; return new; end $$;
		create trigger refuse before insert on fork_days for each row execute function refuse()`)
	var result sealer.Result
	var err error
	e.sealer.OnPass = func(sealed sealer.Result, failure error) { result, err = sealed, failure }
	e.sealer.RunOnce(t.Context())
	require.ErrorContains(t, err, "no room for it")
	require.ErrorContains(t, err, testForkID, "which one")
	const days = `(select distinct started_at::date from plays where fork_id = $1) d`
	sealed := e.CountRows(days, otherForkID)
	remaining := e.CountRows(days, testForkID)
	require.Equal(t, sealer.Result{Days: sealed, Months: 3, Remaining: remaining}, result)
	require.Equal(t, sealed, e.CountRows(`fork_days where fork_id = $1`, otherForkID))
	e.requireAgreement(t)
	e.Exec(`create or replace function refuse() returns trigger language plpgsql as
		$$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`)
	e.sealer.RunOnce(t.Context())
	require.Equal(t, sealer.Result{Remaining: remaining}, result, "the pass ends early: all are left")
	e.Exec(`drop trigger refuse on fork_days`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err = e.sealer.Seal(ctx)
	for errors.Is(err, postgres.ErrLocked) { // the terminated session may still hold the lock
		result, err = e.sealer.Seal(ctx)
	}
	require.NoError(t, err)
	require.Positive(t, result.Days)
	e.requireAgreement(t)
}

// Days and months can be sealed from the midnight UTC that ends them, not a millisecond earlier.
func TestDaysAndMonthsAreSealedOnceTheyEnd(t *testing.T) {
	e := newEnv(t)
	end := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	e.storePlays(testForkID, 1, end.Add(-time.Millisecond), end)
	for now, want := range map[time.Time]sealer.Result{end.Add(-time.Millisecond): {}, end: {Days: 1, Months: 1}} {
		e.Exec(`delete from fork_months`)
		e.Exec(`delete from fork_days`)
		e.sealer.Now = func() time.Time { return now }
		require.Equal(t, want, e.seal(t), now)
	}
	e.sealer.Now = func() time.Time { return end }
	e.seal(t)
	e.sealer.MinPlays = 100 // a fork that has segments is sealed with fewer plays too
	e.Exec(`delete from fork_months`)
	e.storePlays(testForkID, 1, end.Add(-2*day))
	require.Equal(t, sealer.Result{Days: 1, Months: 1}, e.seal(t))
	e.Exec(`delete from fork_days`)
	require.Equal(t, 2, e.seal(t).Days)
}

// The first pass begins at once. Each later pass begins ten minutes after the previous pass ended, even if that failed.
func TestPassesAreMadeEveryTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := tb.Must(pgxpool.New(t.Context(), ""))(t)
		pool.Close() // each pass fails
		passes := 0
		s := newSealer(&postgres.DB{Pool: pool})
		s.OnPass = func(_ sealer.Result, err error) {
			require.Error(t, err)
			passes++
		}
		ctx, cancel := context.WithTimeout(t.Context(), 21*time.Minute)
		defer cancel()
		s.Run(ctx)
		require.Equal(t, 3, passes)
	})
}

// TRUNCATE is not MVCC-safe: reports wait for it before their snapshot, and TRUNCATE waits for a running sealer.
func TestTruncateIsSerialisedWithReportsAndSealer(t *testing.T) {
	e := newSealedEnv(t, 100, 500)
	e.requireAgreement(t) // prepares the statements: otherwise their preparation, not LockPlaysSQL, would wait
	require.NoError(t, e.WhileWaiting(e.Begin(`truncate plays`), func() error {
		return e.checkRandomReport(t.Context(), rand.New(rand.NewPCG(1, 1)))
	}, nil))
	e.requireAgreement(t)

	e.insertRandomPlays(testFrom, 100, 500)
	e.seal(t)
	e.Exec(`delete from fork_months`)
	lock := e.Begin(`lock table fork_months in share row exclusive mode`)
	otherDB := pgtest.Open(t, e.OwnerURL, postgres.Options{MaxConns: 1, LockTimeout: -1})
	e.whileSealing(t, e.sealer, lock, func() error {
		return tb.ErrorOf(otherDB.Pool.Exec(t.Context(), `truncate plays`))
	})
	e.requireAgreement(t)
	e.seal(t)
	e.requireAgreement(t)
}

// The search for due days reads a few pages for each day, even without planner statistics. An export is read in the
// order of its index, not sorted, even if plays of several forks are interleaved.
func TestPlaysAreReadInIndexOrder(t *testing.T) {
	e := newEnv(t)
	const days = 99
	e.insertRandomPlays(testFrom, days, 20_000)
	for _, prepare := range []string{`select`, `analyze plays`} {
		e.Exec(prepare)
		args := segment.Args(testOrgID, testForkID, time.Time{}, testNow)
		args["minPlays"] = 0
		require.Less(t, e.countPages(t, sealer.DueDaysSQL, args), 10*days)
	}
	e.Exec(`vacuum analyze plays`)
	s := tb.Must(openSnapshot(t.Context(), e.DB, newQuery(testFrom, days, ""), false))(t)
	defer s.close()
	tb.Must(s.conn.Exec(t.Context(), exportSettingsSQL))(t)
	sql := exportSQL + s.exportFromSQL() + exportOrderSQL + ` offset 500`
	require.Equal(t, "Index Scan", genericPlan(t, s.conn.Conn(), sql, s.args).Plans[0].Type)
}

// Forks are sealed round-robin by organisation.
func TestOrganisationsAreSealedInTurn(t *testing.T) {
	e := newEnv(t)
	const lastOrg, lastFork = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
	e.insertRandomPlays(testFrom, 5, 100)
	e.AddOrganisation(testkit.Organisation{ID: lastOrg})
	last := e.AddFork(testkit.Fork{ID: lastFork, OrganisationID: lastOrg})
	e.AddPlay(testkit.Play{Fork: last, Player: e.AddPlayers(lastOrg, 1)[0], StartedAt: testFrom})
	e.seal(t)
	forks := testkit.Query[[]string](e.World, `select array(select fork_id::text from fork_days group by 1
		order by min(xmin::text::bigint))`)
	require.Equal(t, []string{testForkID, lastFork, otherForkID}, forks)
}

// A pass skips small forks after one index-only scan of each.
func TestManySmallForksDoNotStopTheSealer(t *testing.T) {
	e := newEnv(t)
	forks := 4
	if os.Getenv("DG_SOAK") != "" {
		forks = 10_000
	}
	const plays = 4_900
	for i := range forks {
		f := e.AddFork(testkit.Fork{OrganisationID: testOrgID, ID: fmt.Sprintf("00000000-0000-4000-9000-%012d", i)})
		e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
			select gen_random_uuid(), $1, $2, 1 + i % 40, $3::timestamptz + i * interval '20 min', ''
			  from generate_series(1, $4) i order by random()`, testOrgID, f.ID, testFrom, plays)
	}
	e.storePlays(testForkID, 1, testFrom)
	e.Exec(`insert into plays select started_at, completed_at, player, release_number, score, passed,
		gen_random_uuid(), org_id, $1, answers from plays where fork_id <> $1
		order by fork_id limit $2`, otherForkID, plays+200)
	require.Eventually(t, func() bool { // autovacuum's older snapshot may keep pages from being all-visible
		e.Exec(`vacuum analyze plays`)
		return e.CountRows(`pg_class where oid = 'plays'::regclass and relallvisible > relpages * 0.9`) > 0
	}, time.Minute, 10*time.Millisecond)
	e.sealer.MinPlays = 5_000
	args := segment.Args(testOrgID, "00000000-0000-4000-9000-000000000000", time.Time{}, testNow)
	args["minPlays"] = e.sealer.MinPlays
	require.Less(t, e.countPages(t, sealer.DueDaysSQL, args), 200)
	require.Positive(t, e.seal(t).Days)
	require.Equal(t, []string{otherForkID}, testkit.Query[[]string](e.World,
		`select array(select distinct fork_id::text from fork_days)`))
	require.Equal(t, sealer.Result{}, e.seal(t))
}

// erasePlayer erases the player like dg erase, but without the sealer's pass after it.
func erasePlayer(ctx context.Context, db *postgres.DB, player string) error {
	return org.New(db, audit.New(db), nil).ErasePlayer(ctx, player, sealer.DropDirty, audit.Request{Path: "dg erase"})
}

func (e *env) playerID(ordinal int) string {
	return testkit.Query[string](e.World, `select id::text from players where ordinal = $1`, ordinal)
}

// storedPlayers returns the players in all stored segments, dirty or clean.
func (e *env) storedPlayers(t *testing.T) map[int32]bool {
	stored := map[int32]bool{}
	rows := tb.Must(e.Owner.Pool.Query(t.Context(), `select day, head_bytes, segment from fork_days`))(t)
	require.NoError(t, segment.ReadSegments(rows, 1, func(s segment.StoredSegment) error {
		return segment.UnpackDay(s.Date.UnixMilli(), s.Head, s.Tail, nil,
			func(p *segment.Play) { stored[p.Player] = true })
	}))
	rows = tb.Must(e.Owner.Pool.Query(t.Context(), `select month, head_bytes, segment from fork_months`))(t)
	require.NoError(t, segment.ReadSegments(rows, 0, func(s segment.StoredSegment) error {
		var players segment.Players
		err := segment.UnpackMonth(s.Date.UnixMilli(), s.Head, &players)
		for _, ordinal := range players.Ordinals() {
			stored[ordinal] = true
		}
		return err
	}))
	return stored
}

// Once an erasure has committed, no segment contains the player, even if the erasure waited for a sealer.
func TestErasedPlayerIsInNoSegment(t *testing.T) {
	e := newEnv(t)
	e.insertRandomPlays(testFrom, 100, 2000)
	e.storePlays(testForkID, 3, testFrom.Add(80*day)) // February has a segment without player 7
	e.Exec(`delete from plays where player = 7 and started_at >= '2024-02-01'`)
	e.seal(t)
	id := e.playerID(7)
	require.True(t, e.storedPlayers(t)[7])
	lock := e.Begin(`select pg_advisory_xact_lock(hashtextextended('sealer', 0))`)
	require.NoError(t, e.WhileWaiting(lock, func() error { return erasePlayer(t.Context(), e.Owner, id) }, nil))
	stored := e.storedPlayers(t)
	require.False(t, stored[7])
	require.True(t, stored[3], "the other segments stay")
	e.requireAgreement(t)
}

// An erasure waits for a sealer that commits a changed day. Otherwise the erasure would delete the new segment.
func TestErasureDuringASealKeepsSealedDays(t *testing.T) {
	e := newEnv(t)
	e.insertRandomPlays(testFrom, 100, 2000)
	e.Exec(`delete from plays where player = 7`)
	e.storePlays(otherForkID, 7, testFrom.Add(15*day))
	e.seal(t)
	changedAt := testFrom.Add(20 * day)
	e.storePlays(testForkID, 3, changedAt)
	require.Equal(t, []int{1, 1}, e.countMarks())
	e.Exec(`create function pause() returns trigger language plpgsql as $$
		begin perform pg_advisory_xact_lock(4711); return null; end $$;
		create constraint trigger pause after update on fork_days deferrable initially deferred
		for each row when (new.day = '2023-12-10') execute function pause()`)

	noLockTimeout := postgres.Options{MaxConns: 2, LockTimeout: -1}
	slowSealer := newSealer(pgtest.Open(t, e.URL, noLockTimeout))
	eraserDB := pgtest.Open(t, e.OwnerURL, noLockTimeout)
	id := e.playerID(7)
	pause := e.Begin(`select pg_advisory_xact_lock(4711)`)
	e.whileSealing(t, slowSealer, pause, func() error { return erasePlayer(t.Context(), eraserDB, id) })
	require.Equal(t, 1, e.CountRows(`fork_days where fork_id = $1 and day = $2`, testForkID, changedAt))
	e.seal(t)
	e.requireAgreement(t)
	require.Equal(t, 3, e.CountRows(`fork_months where fork_id = $1`, testForkID))
}

// whileSealing calls f while a sealer waits for a lock, which is released once f waits too.
func (e *env) whileSealing(t *testing.T, s *sealer.Sealer, lock pgx.Tx, f func() error) {
	done := make(chan error, 1)
	require.NoError(t, e.WhileWaiting(lock, func() error {
		_, err := s.Seal(t.Context())
		if errors.Is(err, postgres.ErrLocked) {
			return nil // an erasure was next in the queue of the sealer's lock
		}
		return err
	}, func() {
		go func() { done <- f() }()
		require.Eventually(t, func() bool {
			return e.CountRows(`pg_locks join pg_stat_activity using (pid)
				where not granted and datname = current_database()`) == 2
		}, 30*time.Second, 2*time.Millisecond)
	}))
	require.NoError(t, <-done)
}
