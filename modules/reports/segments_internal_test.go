package reports

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/importer"
	"dg/platform/postgres"
)

// serialised reports whether a writer only has to try again: a deadlock with another writer, a
// wait that was too long, a player who was just erased; an import also that a play it names has another fork by now.
func serialised(err error) bool {
	if _, ok := errors.AsType[*importer.Errors](err); ok {
		return true
	}
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == "40P01" || pgErr.Code == "55P03" || pgErr.Code == "23503")
}

// Random interleavings of writes, changes, deletions, erased players, bulk writes, imports and
// seals, with 8 writers, an importer and readers beside them: figures from segments equal those from the plays.
func TestSegmentsAgreeWithPlaysUnderWriters(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.sealer.maxDayPlays = 30 // some days are larger
	lasts := 3 * time.Second
	if os.Getenv("DG_SOAK") != "" {
		lasts = 60 * time.Second
	}
	began := time.Now()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	writers, err := postgres.Open(t.Context(), e.db.OwnerURL, postgres.Options{MaxConns: 8})
	require.NoError(t, err)
	defer writers.Close()
	_, err = writers.Pool.Exec(t.Context(), insertSQL, testFrom, 100, 3000)
	require.NoError(t, err)

	var running sync.WaitGroup
	var writes, imports, reads, days, months, large, busy atomic.Int64
	work := func(n int, f func(*rand.Rand) error) {
		for i := range n {
			running.Go(func() {
				random := rand.New(rand.NewPCG(uint64(i), rand.Uint64()))
				for ctx.Err() == nil {
					if err := f(random); err != nil && ctx.Err() == nil {
						t.Error(err)
						stop()
					}
				}
			})
		}
	}
	work(8, func(random *rand.Rand) error {
		writes.Add(1)
		if err := e.write(ctx, random, writers); !serialised(err) {
			return err
		}
		return nil
	})
	owner, err := postgres.Open(t.Context(), e.db.OwnerURL, postgres.Options{MaxConns: 1})
	require.NoError(t, err)
	defer owner.Close()
	im := importer.New(owner.Pool)
	work(1, func(random *rand.Rand) error {
		err := e.importSome(ctx, random, im)
		if err == nil {
			imports.Add(1)
		}
		if serialised(err) {
			return nil
		}
		return err
	})
	work(2, func(random *rand.Rand) error { reads.Add(1); return e.differs(ctx, random) })
	work(2, func(*rand.Rand) error {
		done, err := e.sealer.Seal(ctx)
		days.Add(int64(done.Days))
		months.Add(int64(done.Months))
		large.Add(int64(done.Large))
		busy.Add(int64(done.Busy))
		if errors.Is(err, ErrSealerLocked) { // the other one does
			return nil
		}
		return err
	})
	require.Eventually(t, func() bool { // each kind of work has taken part, also on a busy machine
		return ctx.Err() != nil || time.Since(began) > lasts && days.Load() > 0 && imports.Load() > 0
	}, lasts+time.Minute, 10*time.Millisecond)
	stop()
	running.Wait()
	t.Logf("%d writes, %d imports, %d reads, %d days and %d months sealed, %d large, %d busy",
		writes.Load(), imports.Load(), reads.Load(), days.Load(), months.Load(), large.Load(), busy.Load())
	require.Positive(t, days.Load())
	require.Positive(t, imports.Load())

	e.agreesAtRest(t)
}

// agreesAtRest seals everything that is due, of which one day at least is large, and compares it with the plays.
func (e *env) agreesAtRest(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { // a statement that was cancelled may still commit
		var busy int
		err := e.db.Owner.Pool.QueryRow(t.Context(), `select count(*) from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`).Scan(&busy)
		return err == nil && busy == 0
	}, 20*time.Second, 10*time.Millisecond)
	e.exec(t, insertSQL, testFrom.Add(50*day), 1, 200)
	require.Eventually(t, func() bool { // the sessions that were cancelled may hold their locks for a moment
		if _, err := e.sealer.Seal(t.Context()); err != nil {
			return assert.ErrorIs(t, err, ErrSealerLocked) && false
		}
		var due int
		require.NoError(t, e.db.DB.Pool.QueryRow(t.Context(), `select count(*) from (`+dueDaysSQL+`) x`, testOrg, testFork, testNow).Scan(&due))
		return due == 0
	}, 20*time.Second, 50*time.Millisecond)
	random := rand.New(rand.NewPCG(9, 9))
	for range 50 {
		require.NoError(t, e.differs(t.Context(), random))
	}
	require.Positive(t, e.count(t, `select count(*) from fork_months`))
	require.Positive(t, e.count(t, `select count(*) from fork_days where head_bytes = 0`))
	wrong, err := e.sealer.Verify(t.Context())
	require.NoError(t, err)
	require.Empty(t, wrong)
}

// A writer at another isolation level could not see a segment that was sealed since it began: it is refused.
func TestPlaysAreWrittenAtReadCommittedOnly(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		tx, err := e.db.Owner.Pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), insertSQL, testFrom, 1, 1)
		require.ErrorContains(t, err, "READ COMMITTED")
		require.NoError(t, tx.Rollback(t.Context()))
	}
}

// Every way in which a play can change leaves its day read from the plays until it is sealed again.
func TestEveryChangeMarksItsDay(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	random := rand.New(rand.NewPCG(1, 2))
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := e.db.Owner.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
		for range 10 {
			require.NoError(t, e.differs(t.Context(), random))
		}
		_, err = e.sealer.Seal(t.Context())
		require.NoError(t, err)
		for range 10 {
			require.NoError(t, e.differs(t.Context(), random))
		}
	}
	exec(insertSQL, testFrom, 100, 2000)
	var sealedDays, sealedMonths int
	require.NoError(t, e.db.DB.Pool.QueryRow(t.Context(), `select (select count(*) from fork_days where fork_id = $1), (select count(*) from fork_months where fork_id = $1)`, testFork).Scan(&sealedDays, &sealedMonths))
	require.Equal(t, []int{99, 3}, []int{sealedDays, sealedMonths}, "today and its month are not finished")
	exec(insertSQL, testFrom.Add(30*day), 1, 1)
	exec(`update plays set score = 1, passed = false, completed_at = started_at where started_at < $1`, testFrom.Add(3*day))
	exec(`update plays set player = 1 + player % 40 where started_at < $1`, testFrom.Add(30*day))
	exec(`update plays set started_at = started_at + interval '33 days', completed_at = null, score = null, passed = null where started_at < $1`, testFrom.Add(5*day))
	exec(`delete from plays where started_at < $1`, testFrom.Add(10*day))
	exec(`update plays set fork_id = $1 where started_at < $2`, otherFork, testFrom.Add(15*day))
	exec(`delete from players where ordinal in (1, 7)`) // a member of the group, and another
	exec(`truncate plays`)
}
