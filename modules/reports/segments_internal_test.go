package reports

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"dg/modules/reports/sealer"
	"dg/modules/reports/segment"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// Figures from segments equal those from the plays under random writes, imports, erasures, seals and rebuilds.
func TestSegmentsAgreeWithPlaysUnderWriters(t *testing.T) {
	e := newEnv(t)
	e.sealer.MaxDayPlays = 30 // some days are larger
	duration := 3 * time.Second
	minRebuilds := int64(6)
	if os.Getenv("DG_SOAK") != "" {
		duration = time.Minute
		minRebuilds = 200
	}
	e.insertRandomPlays(testFrom, 100, 3000)
	writerDB := pgtest.Open(t, e.OwnerURL, postgres.Options{MaxConns: 10})
	rebuilder := newSealer(pgtest.Open(t, e.OwnerURL, postgres.Options{MaxConns: 2}))
	boundedCtx, cancel := context.WithTimeout(t.Context(), duration+5*time.Minute)
	defer cancel()
	work, ctx := errgroup.WithContext(boundedCtx)
	var written, erased, sealed, rebuilt atomic.Int64
	began := time.Now()
	// each kind of work ends once it has run often enough, so that on a busy machine none holds up the last
	after := func(count *atomic.Int64, least int64) func() bool {
		return func() bool { return time.Since(began) > duration && count.Load() >= least }
	}
	repeat(ctx, work, after(&written, 200), 8, func(random *rand.Rand) error {
		written.Add(1)
		return ignoreConflicts(writeRandomly(ctx, random, writerDB))
	})
	repeat(ctx, work, after(&erased, 20), 2, func(*rand.Rand) error {
		id, err := e.addPlayerAndPickOne(ctx, writerDB)
		if err == nil {
			erased.Add(1)
			err = erasePlayer(ctx, writerDB, id)
		}
		return ignoreConflicts(err)
	})
	repeat(ctx, work, after(&written, 200), 2, func(r *rand.Rand) error { return e.checkRandomReport(ctx, r) })
	repeat(ctx, work, after(&sealed, 1), 2, func(*rand.Rand) error {
		result, err := e.sealer.Seal(ctx)
		sealed.Add(int64(result.Days))
		return ignoreConflicts(err)
	})
	repeat(ctx, work, after(&rebuilt, minRebuilds), 1, func(*rand.Rand) error {
		rebuilt.Add(1)
		return ignoreConflicts(tb.ErrorOf(rebuilder.Rebuild(ctx, time.Minute)))
	})
	require.NoError(t, work.Wait())
	require.NoError(t, boundedCtx.Err(), "%d writes, %d erasures, %d sealed days, %d rebuilds", written.Load(),
		erased.Load(), sealed.Load(), rebuilt.Load())

	// compare again without writers, with all due days and months sealed
	e.insertRandomPlays(testFrom.Add(50*day), 1, 200)
	e.seal(t)
	require.Zero(t, e.seal(t))
	e.requireAgreement(t)
	require.Positive(t, e.CountRows(`fork_months`))
	require.Positive(t, e.CountRows(`fork_days where head_bytes = 0`))
}

// repeat calls f in n goroutines, each in a loop, until done returns true or f fails.
func repeat(ctx context.Context, work *errgroup.Group, done func() bool, n int, f func(*rand.Rand) error) {
	for range n {
		random := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
		work.Go(func() error {
			for ctx.Err() == nil && !done() {
				if err := f(random); err != nil && ctx.Err() == nil {
					return err
				}
			}
			return nil
		})
	}
}

// ignoreConflicts drops expected errors: deadlock, lock timeout, erased player, another sealer, and the given codes.
func ignoreConflicts(err error, codes ...string) error {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if ok && slices.Contains(append(codes, "40P01", "55P03", "23503"), pgErr.Code) ||
		apperr.Is(err, apperr.NotFound) || errors.Is(err, pgx.ErrNoRows) || errors.Is(err, postgres.ErrLocked) {
		return nil
	}
	return err
}

func (e *env) addPlayerAndPickOne(ctx context.Context, db *postgres.DB) (id string, err error) {
	return id, db.Pool.QueryRow(ctx, `with next as (update player_ordinals set last = last + 1 returning last)
		insert into players (id, org_id, ordinal, label, display_name)
		select gen_random_uuid(), '`+testOrgID+`', last, 'P-' || last, 'Player ' || last from next
		returning (select id::text from players order by random() limit 1)`).Scan(&id)
}

// Writers at other isolation levels are refused: they would not see segments sealed since their snapshot.
func TestPlaysAreWrittenAtReadCommittedOnly(t *testing.T) {
	e := newEnv(t)
	for _, level := range []string{"repeatable read", "serializable"} {
		tx := e.Begin(`set transaction isolation level ` + level)
		_, err := tx.Exec(t.Context(), insertRandomPlaysSQL, pgx.NamedArgs{"at": testFrom, "days": 1, "n": 1})
		require.ErrorContains(t, err, "READ COMMITTED")
		require.NoError(t, tx.Rollback(t.Context()))
	}
}

// After every kind of change of plays, reports read the day from the plays until it is sealed again.
func TestEveryChangeMarksItsDay(t *testing.T) {
	e := newSealedEnv(t, 100, 2000)
	require.Equal(t, 99, e.CountRows(`fork_days where fork_id = $1`, testForkID), "today is not finished")
	require.Equal(t, 3, e.CountRows(`fork_months where fork_id = $1`, testForkID), "nor is its month")
	for _, change := range append(slices.Clone(randomWrites),
		`update plays set player = 2 + player % 39 where `+firstPlaysSQL,
		`update plays set score = 1 where id = (select min(id::text)::uuid from plays where score > 1 and fork_id <> @fork)`,
		`delete from players where ordinal = 7`, // not in the group, unlike the player that randomWrites erases
		`truncate plays`,
	) {
		e.Exec(`insert into unsealed_days select gen_random_uuid(), day from fork_days`) // marks of another fork
		e.Exec(change, pgx.NamedArgs{"at": testFrom.Add(20 * day), "days": 3, "n": 300, "fork": otherForkID})
		e.requireAgreement(t)
		e.seal(t)
		e.requireAgreement(t)
	}
}

// startsOnDays returns an instant on each of n days from the i-th on.
func startsOnDays(i, n int) []time.Time {
	starts := make([]time.Time, n)
	for k := range starts {
		starts[k] = testFrom.Add(time.Duration(i+k)*day + 23*time.Hour)
	}
	return starts
}

// A writer locks the sealer out of the days that it touched until its transaction ends.
func TestWriterLocksTheSealerOutOfItsDays(t *testing.T) {
	e := newEnv(t)
	for _, c := range []struct {
		days                   []time.Time
		lockedDay, unlockedDay int
	}{
		{startsOnDays(3, 1), 3, 4},
		{startsOnDays(3, 64), 66, 2},
		{startsOnDays(3, 65), 99, -1}, // locks the whole fork
	} {
		for _, write := range []string{
			`insert into plays (id, org_id, fork_id, player, started_at, answers)
				select gen_random_uuid(), '` + testOrgID + `', $1, 1, day, '' from unnest($2::timestamptz[]) day`,
			`update plays set score = 1, passed = false, completed_at = started_at
				where fork_id = $1 and started_at = any($2)`,
			`delete from plays where fork_id = $1 and started_at = any($2)`,
		} {
			tx := e.Begin(write, testForkID, c.days)
			require.False(t, e.canLock(t, testForkID, c.lockedDay), write)
			require.True(t, e.canLock(t, otherForkID, c.lockedDay), write)
			if c.unlockedDay >= 0 {
				require.True(t, e.canLock(t, testForkID, c.unlockedDay), write)
			}
			require.NoError(t, tx.Commit(t.Context()))
			require.True(t, e.canLock(t, testForkID, c.lockedDay), write)
		}
	}
}

// A transaction of many single writes locks whole forks: a lock for each day would fill the table that sessions share.
func TestTransactionOfManyWritesTakesFewLocks(t *testing.T) {
	e := newEnv(t)
	tx := e.Begin(`do $$ declare fork uuid; n integer; begin
		for n in 1..1000 loop
		    foreach fork in array array['` + testForkID + `', '` + otherForkID + `'] loop
		        insert into plays (id, org_id, fork_id, player, started_at, answers)
		          values (gen_random_uuid(), '` + testOrgID + `', fork, 1, '2021-01-01'::timestamptz +
		            n * interval '1 day', '');
		    end loop;
		end loop; end $$`)
	var locks int
	require.NoError(t, tx.QueryRow(t.Context(), `select count(*) from pg_locks
		where locktype = 'advisory' and pid = pg_backend_pid()`).Scan(&locks))
	require.Equal(t, 128+2, locks)
	for _, fork := range []string{testForkID, otherForkID} {
		require.False(t, e.canLock(t, fork, 0))
	}
	require.NoError(t, tx.Commit(t.Context()))
	tx = e.Begin(`delete from plays where fork_id = $1 and started_at < '2021-01-03'`, testForkID)
	require.True(t, e.canLock(t, testForkID, 0), "the next transaction counts anew")
	require.NoError(t, tx.Commit(t.Context()))
}

// canLock reports whether a sealer could lock the i-th day.
func (e *env) canLock(t *testing.T, fork string, i int) (acquired bool) {
	first := testFrom.Add(time.Duration(i) * day)
	require.NoError(t, pgx.BeginFunc(t.Context(), e.DB.Pool, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), sealer.TryLocksSQL,
			segment.Args(testOrgID, fork, first, first.Add(day))).Scan(&acquired)
	}))
	return acquired
}

// A sealed day gets one dirty mark for any number of writes. An unsealed day gets none.
func TestDirtyDayIsMarkedOnce(t *testing.T) {
	e := newEnv(t)
	e.storePlays(testForkID, 1, startsOnDays(20, 3)...) // plays from 10 December on
	require.Equal(t, []int{0, 0}, e.countMarks(), "nothing is sealed")
	e.seal(t)
	for range 3 {
		e.storePlays(testForkID, 1, startsOnDays(20, 1)...)
		require.Equal(t, []int{1, 1}, e.countMarks())
	}
	for range 3 {
		e.storePlays(testForkID, 1, startsOnDays(19, 4)...)
		require.Equal(t, []int{3, 1}, e.countMarks(), "the first of the four days was not sealed")
	}
	e.seal(t)
	require.Equal(t, []int{0, 0}, e.countMarks())
	e.storePlays(testForkID, 1, startsOnDays(15, 1)...)
	require.Equal(t, []int{0, 1}, e.countMarks(), "a day without a segment, in a month with one")
}

func (e *env) countMarks() []int {
	return testkit.Query[[]int](e.World, `select array[(select count(*) from unsealed_days),
		(select count(*) from unsealed_months)]`)
}

const firstPlaysSQL = `id in (select id from plays where started_at >= @at order by started_at limit @n)`

// randomWrites are statements that insert, change, move or delete @n plays from @at on, or erase a player.
var randomWrites = []string{
	insertRandomPlaysSQL,
	`update plays set score = 5000, passed = true, completed_at = coalesce(completed_at, started_at)
		where ` + firstPlaysSQL,
	`update plays set started_at = started_at - interval '40 days', fork_id = @fork
		where completed_at is null and ` + firstPlaysSQL,
	`delete from plays where ` + firstPlaysSQL,
	// a player is erased, and a new player is added
	`with gone as (delete from players where ordinal = (select min(ordinal) from players) returning 1),
		next as (update player_ordinals set last = last + 1 where exists (select from gone) returning last)
		insert into players (id, org_id, ordinal, label, display_name)
		select gen_random_uuid(), '` + testOrgID + `', last, 'P-' || last, 'Player ' || last from next`,
	// an import inserts plays, and moves stored ones to other days
	`insert into plays (id, org_id, fork_id, player, started_at, answers)
		(select id, org_id, fork_id, player, @at, answers from plays where ` + firstPlaysSQL + `) union all
		(select gen_random_uuid(), org_id, @fork, ordinal, @at, '\x01' from players order by random() limit @n)
		on conflict (id) do update set started_at = excluded.started_at, completed_at = null,
		  score = null, passed = null`,
}

func writeRandomly(ctx context.Context, random *rand.Rand, db *postgres.DB) error {
	sql := randomWrites[random.IntN(len(randomWrites))]
	args := pgx.NamedArgs{
		"at":   testFrom.Add(time.Duration(random.IntN(100)) * day),
		"fork": []string{testForkID, otherForkID}[random.IntN(2)], "days": 1, "n": 1 + random.IntN(9),
	}
	if random.IntN(8) == 0 {
		sql = insertRandomPlaysSQL
		args["at"] = testFrom
		args["days"] = 100
		args["n"] = 150
	}
	return tb.ErrorOf(db.Pool.Exec(ctx, sql, args))
}

// corruptions damage one sealed row each. set is SQL, with a random number $1 from 0 to a million.
var corruptions = []struct{ table, set string }{
	{"fork_days", otherByteSQL("sums", "$1 % octet_length(sums)")},
	{"fork_days", otherByteSQL("segment", "$1 % head_bytes")},
	{"fork_days", otherByteSQL("segment", "octet_length(segment) - 1 - $1 % 9")},
	{"fork_days", otherByteSQL("segment", "$1 % octet_length(segment)")},
	{"fork_days", `head_bytes = head_bytes + 1 + $1 % 12`},
	{"fork_days", `head_bytes = head_bytes - 1 - $1 % 12`},
	{"fork_days", `head_bytes = (array[0, -1, 2147483647, -2147483648, 1])[1 + $1 % 5]`},
	{"fork_days", `segment = substr(segment, 1, $1 % octet_length(segment))`},
	{"fork_days", `sums = substr(sums, 1, $1 % octet_length(sums))`},
	{"fork_days", `sums = decode(lpad(to_hex($1 % 256), 2, '0'), 'hex') || substr(sums, 2)`},
	{"fork_days", `segment = decode(lpad(to_hex($1 % 256), 2, '0'), 'hex') || substr(segment, 2)`},
	{"fork_days", `sums = sums || '\x00', segment = segment || '\x00'`},
	{"fork_days", `(sums, segment, head_bytes) = (select o.sums, o.segment, o.head_bytes from fork_days o
		where o.fork_id = fork_days.fork_id and o.day <> fork_days.day order by o.day offset $1 % 50 limit 1)`},
	{"fork_months", otherByteSQL("segment", "$1 % octet_length(segment)")},
	{"fork_months", `segment = substr(segment, 1, $1 % octet_length(segment))`},
	{"fork_months", `head_bytes = (array[head_bytes / 2, head_bytes / 2 + 1, 0, -1, 1, 2147483647,
		-2147483648])[1 + $1 % 7]`},
	{"fork_months", `block_bytes[1] = $1`},
	{"fork_months", `block_bytes = (array['{}', '{1}', '{-1,2}', '{2147483647,2147483647}']::text[])[1 + $1 % 4]::int[]`},
	{"fork_months", `segment = decode(lpad(to_hex($1 % 256), 2, '0'), 'hex') || substr(segment, 2)`},
}

func otherByteSQL(column, offset string) string {
	return fmt.Sprintf(`%[1]s = set_byte(%[1]s, %[2]s, (get_byte(%[1]s, %[2]s) + 1 + $1 %% 255) %% 256)`, column, offset)
}

// None of at least 160 corruptions gives a wrong report. The plays are read instead, until a rebuild seals them again.
func TestDamagedSegmentGivesNoWrongAnswer(t *testing.T) {
	e := newSealedEnv(t, 99, 2000)
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	damageReports := 0
	e.reports.OnDamage = func(Query, error) { damageReports++ }
	e.requireAgreement(t)
	require.Zero(t, damageReports)
	rebuilder := newSealer(e.Owner)
	for damaged := 0; damaged < 160; {
		for range len(corruptions) / 2 {
			c := corruptions[damaged%len(corruptions)]
			e.Exec(`with random as (select $1::int), rows as (
				  select ctid, row_number() over (order by ctid) - 1 as i, count(*) over () as n
				    from `+c.table+` where fork_id = '`+testForkID+`')
				update `+c.table+` set `+c.set+` where ctid = (select ctid from rows where i = $1 % n)`,
				random.IntN(1_000_001))
			damaged++
		}
		e.requireAgreement(t)
		require.NoError(t, tb.ErrorOf(rebuilder.Rebuild(t.Context(), time.Minute)))
	}
	require.Positive(t, damageReports)
	damageReports = 0
	e.requireAgreement(t)
	require.Zero(t, damageReports)
}

// The sealer does not pack a month from a damaged day. It still packs the other months. A missing segment is damage.
func TestMonthIsNotPackedFromADamagedDay(t *testing.T) {
	e := newSealedEnv(t, 99, 2000)
	e.reports.OnDamage = func(Query, error) {}
	e.Exec(`update fork_days set segment = set_byte(segment, 9, get_byte(segment, 9) # 1)
		where fork_id = $1 and day = '2023-12-24'`, testForkID)
	e.Exec(`delete from fork_months where fork_id = $1`, testForkID)
	_, err := e.sealer.Seal(t.Context())
	require.ErrorIs(t, err, segment.ErrDamaged)
	require.ErrorContains(t, err, "2023-12-24")
	require.Equal(t, 2, e.CountRows(`fork_months where fork_id = $1`, testForkID))
	e.requireAgreement(t)
	rows := tb.Must(e.Owner.Pool.Query(t.Context(), `select day, head_bytes, segment from fork_days`))(t)
	require.ErrorIs(t, segment.ReadSegments(rows, e.CountRows(`fork_days`)+1,
		func(segment.StoredSegment) error { return nil }), segment.ErrDamaged)
}
