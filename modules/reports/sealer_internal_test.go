package reports

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
)

// exec runs SQL as the owner of the tables.
func (f *field) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := f.db.Owner.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// count reads a number as the owner of the tables.
func (f *field) count(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, f.db.Owner.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// seal makes one pass.
func (f *field) seal(t *testing.T) Sealed {
	t.Helper()
	done, err := f.sealer.Seal(t.Context())
	require.NoError(t, err)
	return done
}

// agrees compares random reports with the plays.
func (f *field) agrees(t *testing.T) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		require.NoError(t, f.differs(t.Context(), random))
	}
	wrong, err := f.sealer.Verify(t.Context())
	require.NoError(t, err)
	require.Empty(t, wrong)
}

// await polls until the statement says true, of what another session does, or that has ended.
func (f *field) await(t *testing.T, message string, ended chan error, sql string) {
	t.Helper()
	require.Eventually(t, func() (yes bool) {
		return len(ended) > 0 || f.db.Owner.Pool.QueryRow(t.Context(), sql).Scan(&yes) == nil && yes
	}, 10*time.Second, 2*time.Millisecond, message)
}

// hold takes a lock in a session of its own and returns how to give it back.
func (f *field) hold(t *testing.T, sql string) (release func()) {
	t.Helper()
	conn, err := f.db.Owner.Pool.Acquire(t.Context())
	require.NoError(t, err)
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), sql)
	require.NoError(t, err)
	release = sync.OnceFunc(func() {
		_ = tx.Rollback(context.Background()) // one that was refused has ended
		conn.Release()
	})
	t.Cleanup(release)
	return release
}

// One sealer works at a time. A pass beside it says so; a rebuild waits for it, and where it waits in vain it has marked
// nothing.
func TestRebuildWaitsForAnotherSealer(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.exec(t, insertSQL, fieldFrom, 100, 500)
	days := f.seal(t).Days
	owner, err := postgres.Open(t.Context(), f.db.OwnerURL, postgres.Options{Name: "rebuilding", MaxConns: 2})
	require.NoError(t, err)
	defer owner.Close()
	rebuilder := NewSealer(owner, f.sealer.now, f.sealer.log, 0)

	release := f.hold(t, `select pg_advisory_xact_lock(`+lockText+`)`)
	_, err = f.sealer.Seal(t.Context())
	require.ErrorIs(t, err, ErrSealing)
	_, err = rebuilder.Rebuild(t.Context(), 300*time.Millisecond)
	require.ErrorIs(t, err, ErrSealing)
	require.Zero(t, f.count(t, `select count(*) from unsealed_days`))

	rebuilt := make(chan error, 1)
	var done Sealed
	go func() {
		var err error
		done, err = rebuilder.Rebuild(t.Context(), time.Minute)
		rebuilt <- err
	}()
	f.await(t, "it does not look for the lock", rebuilt, `select exists (select from pg_stat_activity where application_name = 'rebuilding'
		and state = 'idle' and query_start > now() - interval '1 s' and query like '%pg_try_advisory_lock%')`)
	require.Empty(t, rebuilt)
	release()
	require.NoError(t, <-rebuilt)
	require.Equal(t, Sealed{Days: days, Months: done.Months}, done, "every day is sealed again")
	require.Positive(t, done.Months)
	f.agrees(t)
}

// lockText is the sealer's lock in SQL.
const lockText = `x'64677365616c'::bigint`

// Performance, "A segment": a format version in the first byte. What was sealed by another version is not read, and is
// sealed again.
func TestSegmentsOfAnotherVersionAreNotRead(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]int{"older": segmentVersion - 1, "newer": segmentVersion + 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newField(t)
			f.exec(t, insertSQL, fieldFrom, 100, 2000)
			first := f.seal(t)
			require.Equal(t, Sealed{}, f.seal(t), "nothing is due")
			// What the other version's bytes mean is another matter.
			f.exec(t, `update fork_days set sums = set_byte(set_byte(sums, 0, $1), 1, 99), segment = set_byte(segment, 0, $1) || '\x07'
				where extract(day from day)::int % 2 = 0`, other)
			f.exec(t, `update fork_months set segment = set_byte(segment, 0, $1) || '\x0708'`, other)
			even := f.count(t, `select count(*) from fork_days where extract(day from day)::int % 2 = 0`)
			f.agrees(t)
			require.Equal(t, Sealed{Days: even, Months: first.Months}, f.seal(t), "they are due, and no others")
			f.agrees(t)
			require.Equal(t, first.Days, f.count(t, `select count(*) from fork_days where get_byte(sums, 0) = $1 and get_byte(segment, 0) = $1`, segmentVersion))
		})
	}
}

// Verify finds each way in which a segment can be wrong, of every day that a play can have, and nothing of what is not read.
func TestVerifyFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.exec(t, insertSQL, fieldFrom, 99, 2000)
	for _, date := range []string{"0001-01-01", "1850-07-14", "2023-12-05"} {
		f.exec(t, insertSQL, date, 1, 20)
	}
	f.exec(t, `update plays set fork_id = $1`, fieldFork)
	f.seal(t)
	f.agrees(t)
	turned := `(get_byte(%[1]s, octet_length(%[1]s) - 1) # 1)`
	for _, wrong := range []struct{ table, column, where, period string }{
		{"fork_days", "sums", "day = '2023-12-05'", "2023-12-05_2023-12-05"},
		{"fork_days", "segment", "day = '2024-01-06'", "2024-01-06_2024-01-06"},
		{"fork_days", "segment", "day = '0001-01-01'", "0001-01-01_0001-01-01"},
		{"fork_months", "segment", "month = '2024-01-01'", "2024-01-01_2024-01-31"},
		{"fork_months", "segment", "month = '1850-07-01'", "1850-07-01_1850-07-31"},
	} {
		f.exec(t, fmt.Sprintf(`update %[2]s set %[1]s = set_byte(%[1]s, octet_length(%[1]s) - 1, `+turned+`) where `+wrong.where, wrong.column, wrong.table))
		found, err := f.sealer.Verify(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"fork " + fieldFork + ", " + wrong.period + ": the segment is damaged, its checksum does not agree"}, found)
		mark := "insert into unsealed_days select fork_id, day from fork_days where "
		if wrong.table == "fork_months" {
			mark = "insert into unsealed_months select fork_id, month from fork_months where "
		}
		f.exec(t, mark+wrong.where)
		f.agrees(t)
	}
	f.seal(t)
	f.agrees(t)

	// Whole, and yet not what the plays say: these were changed past the triggers.
	f.exec(t, `alter table plays disable trigger user`)
	f.exec(t, `update plays set player = 1 + player % 40 where started_at >= '2024-01-10' and started_at < '2024-01-11'`)
	found, err := f.sealer.Verify(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"fork " + fieldFork + ", 2024-01-10_2024-01-10: the segment is not what the plays say",
		"fork " + fieldFork + ", 2024-01-01_2024-01-31: the segment is not what the plays say"}, found)
}

// A day with too many plays is read from the plays. It is looked at once, and again when a play of it has changed.
func TestLargeDaysAreLookedAtOnce(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.sealer.largest = 20
	f.exec(t, insertSQL, fieldFrom.Add(5*day), 1, 40)
	f.exec(t, insertSQL, fieldFrom.Add(40*day), 1, 10)
	f.exec(t, `update plays set fork_id = $1`, fieldFork)
	require.Equal(t, Sealed{Days: 1, Months: 2, Large: 1}, f.seal(t), "a month can be sealed: it is packed from its plays")
	require.Equal(t, Sealed{}, f.seal(t), "nothing is due")
	f.agrees(t)
	status, err := f.sealer.Status(t.Context())
	require.NoError(t, err)
	require.Len(t, status, 1)
	require.Equal(t, []int{1, 0, 1, 2}, []int{status[0].Days, status[0].Marked, status[0].Large, status[0].Months})

	f.exec(t, `update plays set score = 1 where completed_at is not null and started_at < $1`, fieldFrom.Add(6*day))
	f.agrees(t)
	require.Equal(t, Sealed{Months: 1, Large: 1}, f.seal(t))
	f.exec(t, `delete from plays where started_at < $1 and id not in (select id from plays order by started_at limit 20)`, fieldFrom.Add(6*day))
	f.agrees(t)
	require.Equal(t, Sealed{Days: 1, Months: 1}, f.seal(t), "as many as a segment takes")
	f.agrees(t)
}

// Where the plays of a month, and then all of a fork, are gone, nothing of them is left: neither segments nor marks.
func TestWhatIsEmptiedLeavesNothing(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.exec(t, insertSQL, fieldFrom, 100, 2000)
	f.seal(t)
	left := func(from, to string) int {
		return f.count(t, `select (select count(*) from fork_days where fork_id = $1 and day between $2 and $3)
			+ (select count(*) from fork_months where fork_id = $1 and month between $2 and $3)
			+ (select count(*) from unsealed_days where fork_id = $1 and day between $2 and $3)
			+ (select count(*) from unsealed_months where fork_id = $1 and month between $2 and $3)`, fieldFork, from, to)
	}
	f.exec(t, `delete from plays where fork_id = $1 and started_at >= '2023-12-01' and started_at < '2024-01-01'`, fieldFork)
	f.seal(t)
	f.agrees(t)
	require.Zero(t, left("2023-12-01", "2023-12-31"))
	require.Positive(t, left("2023-11-01", "2024-03-01"))

	// The days go in one pass, a month, in which somebody writes, in a later one, when the fork is none of the large.
	f.exec(t, `delete from plays where fork_id = $1 and started_at::date = '2024-01-31'`, fieldFork)
	f.seal(t)
	release := f.hold(t, `select pg_advisory_xact_lock_shared(uuid_hash('`+fieldFork+`'), date '2024-01-31' - date '2000-01-01')`)
	f.exec(t, `delete from plays where fork_id = $1`, fieldFork)
	f.sealer.from = 1_000_000
	require.Equal(t, 1, f.seal(t).Busy)
	release()
	f.seal(t)
	require.Zero(t, left("2023-01-01", "2025-01-01"))
	f.agrees(t)
}

// What fails for one fork keeps no other from being sealed, and is told.
func TestSealingGoesOnAfterAFork(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.exec(t, insertSQL, fieldFrom, 99, 500)
	f.exec(t, `create function refuse() returns trigger language plpgsql as
		$$ begin if new.fork_id = '`+fieldFork+`' then raise exception 'no room for it'; end if; return new; end $$;
		create trigger refuse before insert on fork_days for each row execute function refuse()`)
	done, err := f.sealer.Seal(t.Context())
	require.ErrorContains(t, err, "no room for it")
	require.ErrorContains(t, err, fieldFork, "which one")
	days := f.count(t, `select count(distinct started_at::date) from plays where fork_id = $1`, otherFork)
	require.Equal(t, Sealed{Days: days, Months: 3}, done)
	require.Equal(t, days, f.count(t, `select count(*) from fork_days where fork_id = $1`, otherFork))
	f.agrees(t)
	f.exec(t, `drop trigger refuse on fork_days`)
	require.Positive(t, f.seal(t).Days, "the lock was given back")
	f.agrees(t)
}

// stalled is a connection on which the sealer's lock is never heard to be given back.
type stalled struct {
	net.Conn
	met *atomic.Bool
}

func (s stalled) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "pg_advisory_unlock") {
		s.met.Store(true)
		return len(b), nil
	}
	return s.Conn.Write(b)
}

// The sealer's lock is given back in a time of its own, also where the server does not answer: then the session ends.
func TestUnlockingHasItsOwnDeadline(t *testing.T) {
	t.Parallel()
	f := newField(t)
	config, err := pgxpool.ParseConfig(f.db.URL)
	require.NoError(t, err)
	var met atomic.Bool
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err == nil {
			t.Cleanup(func() { _ = conn.Close() })
		}
		return stalled{conn, &met}, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { go pool.Close() }) // where the test fails, a connection is out for ever
	sealed := make(chan error, 1)
	go func() {
		_, err := NewSealer(&postgres.DB{Pool: pool}, f.sealer.now, f.sealer.log, 0).Seal(t.Context())
		sealed <- err
	}()
	select {
	case err := <-sealed:
		require.ErrorContains(t, err, "unlock")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	case <-time.After(5 * unlockTimeout):
		require.Fail(t, "it waits on and on")
	}
	require.True(t, met.Load())
	require.Eventually(t, func() bool { _, err := f.sealer.Seal(t.Context()); return err == nil }, 10*time.Second, 10*time.Millisecond,
		"the next sealer does not get the lock")
}

// TRUNCATE empties a table for older snapshots, too, and the segments not. A report that meets one takes its snapshot when
// that is over.
func TestReportsWaitForTruncate(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.exec(t, insertSQL, fieldFrom, 100, 500)
	f.seal(t)
	f.agrees(t)
	tx, err := f.db.Owner.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `truncate plays`)
	require.NoError(t, err)
	read := make(chan error, 1)
	go func() { read <- f.differs(t.Context(), rand.New(rand.NewPCG(1, 1))) }()
	f.await(t, "the report does not wait", read, `select exists (select from pg_locks where relation = 'plays'::regclass and not granted)`)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-read)
	f.agrees(t)
}

// TRUNCATE takes none of the locks of days. The sealer keeps it out while it packs: what it would write of the plays from
// before would not be marked.
func TestTruncateWaitsForTheSealer(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.exec(t, insertSQL, fieldFrom, 100, 500)
	f.seal(t)
	f.exec(t, `delete from fork_months`)
	release := f.hold(t, `lock table fork_months in share row exclusive mode`)
	sealed := make(chan error, 1)
	go func() {
		_, err := f.sealer.Seal(t.Context())
		sealed <- err
	}()
	f.await(t, "the sealer does not come to write a month", sealed, `select exists (select from pg_locks where relation = 'fork_months'::regclass and not granted)`)
	other, err := postgres.Open(t.Context(), f.db.OwnerURL, postgres.Options{MaxConns: 1, LockTimeout: -1})
	require.NoError(t, err)
	defer other.Close()
	emptied := make(chan error, 1)
	go func() {
		_, err := other.Pool.Exec(t.Context(), `truncate plays`)
		emptied <- err
	}()
	f.await(t, "TRUNCATE neither waits nor is done", emptied, `select exists (select from pg_locks where relation = 'plays'::regclass
		and mode = 'AccessExclusiveLock' and not granted)`)
	release()
	require.NoError(t, <-sealed)
	require.NoError(t, <-emptied)
	f.agrees(t)
	f.seal(t)
	f.agrees(t)
}
