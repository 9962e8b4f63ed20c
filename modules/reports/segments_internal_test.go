package reports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/modules/importer"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

// field is a database with one organisation, two forks and 40 players of whom 10 are a group, where plays fall within a
// hundred days around the turn of a year. now is in the last of these days.
type field struct {
	db      *pgtest.Database
	reports *Service
	sealer  *Sealer
}

const (
	fieldOrg   = "00000000-0000-4000-8000-000000000001"
	fieldFork  = "00000000-0000-4000-8000-000000000002"
	otherFork  = "00000000-0000-4000-8000-000000000003"
	fieldGroup = "00000000-0000-4000-8000-000000000004"
)

var (
	fieldFrom = time.Date(2023, 11, 20, 0, 0, 0, 0, time.UTC)
	fieldNow  = fieldFrom.Add(99*day + 12*time.Hour)
)

func newField(t testing.TB) *field {
	t.Helper()
	db := pgtest.New(t)
	_, err := db.Owner.Pool.Exec(t.Context(), `
		insert into organisations (id, slug, name, plan, reporting_mode) values ('`+fieldOrg+`', 'o', 'O', 'pro', 'nominative');
		insert into games (id, slug, title) values ('`+fieldOrg+`', 'g', 'G');
		insert into forks (id, org_id, game_id, slug, title, major, status, visibility, source_locale, suspended, created_at, updated_at)
		select f, '`+fieldOrg+`', '`+fieldOrg+`', f, 'F', 1, 'active', 'public', 'en', false, now(), now() from unnest(array['`+fieldFork+`', '`+otherFork+`']::uuid[]) f;
		insert into players (id, org_id, ordinal, label, display_name) select gen_random_uuid(), '`+fieldOrg+`', i, 'P-' || i, 'Player ' || i from generate_series(1, 40) i;
		insert into player_ordinals values ('`+fieldOrg+`', 40);
		insert into player_groups (id, org_id, name) values ('`+fieldGroup+`', '`+fieldOrg+`', 'G');
		insert into group_members select '`+fieldOrg+`', '`+fieldGroup+`', i from generate_series(1, 40, 4) i`)
	require.NoError(t, err)
	now := func() time.Time { return fieldNow }
	return &field{db: db, reports: New(db.DB, db.DB), sealer: NewSealer(db.DB, now, slog.New(slog.NewTextHandler(io.Discard, nil)), 0)}
}

// insertSQL adds $3 random plays within $2 days from $1 on.
const insertSQL = `insert into plays (id, org_id, fork_id, player, started_at, completed_at, score, passed, answers)
	select gen_random_uuid(), '` + fieldOrg + `', case when random() < 0.8 then '` + fieldFork + `' else '` + otherFork + `' end::uuid, (array(select ordinal from players))[1 + floor(random() * 40)], s, case when done then s + interval '5 s' end,
	       case when done then floor(random() * 10001) end, case when done then random() < 0.5 end,
	       decode(repeat(lpad(to_hex((random() * 59)::int), 2, '0'), (random() * 6)::int), 'hex')
	  from (select date_trunc('milliseconds', $1::timestamptz + random() * $2 * interval '1 day') as s, random() < 0.7 as done from generate_series(1, $3)) x`

// write changes plays at random: one at a time, some days, many days; inserted, changed, moved, deleted.
func (f *field) write(ctx context.Context, random *rand.Rand, db *postgres.DB) error {
	at := fieldFrom.Add(time.Duration(random.IntN(100)) * day)
	pick := `id in (select id from plays where started_at >= $1 order by started_at limit $2)`
	var err error
	switch random.IntN(8) {
	case 0, 1, 2:
		_, err = db.Pool.Exec(ctx, insertSQL, at, 1, 1)
	case 3:
		_, err = db.Pool.Exec(ctx, insertSQL, fieldFrom, 100, 150)
	case 4:
		_, err = db.Pool.Exec(ctx, `update plays set score = 5000, passed = true, completed_at = coalesce(completed_at, started_at) where `+pick, at, 1+random.IntN(3))
	case 5:
		_, err = db.Pool.Exec(ctx, `update plays set started_at = started_at - interval '40 days', fork_id = '`+fieldFork+`' where completed_at is null and `+pick, at, 1)
	case 7: // a player is erased, and another comes
		_, err = db.Pool.Exec(ctx, `with gone as (delete from players where ordinal = (select min(ordinal) from players) returning 1),
			next as (update player_ordinals set last = last + 1 where exists (select from gone) returning last)
			insert into players (id, org_id, ordinal, label, display_name) select gen_random_uuid(), '`+fieldOrg+`', last, 'P-' || last, 'Player ' || last from next`)
	case 6:
		_, err = db.Pool.Exec(ctx, `delete from plays where `+pick, at, 1+random.IntN(20))
	}
	return err
}

// importSome imports plays of some days: new ones, and stored ones that are changed, and often moved to another day.
func (f *field) importSome(ctx context.Context, random *rand.Rand, im *importer.Importer) error {
	type line struct{ ID, ForkID, PlayerID string }
	at := fieldFrom.Add(time.Duration(random.IntN(100)) * day)
	rows, err := f.db.DB.Pool.Query(ctx, `
		(select p.id::text, p.fork_id::text, o.id::text from plays p join players o on o.org_id = p.org_id and o.ordinal = p.player
		  where p.org_id = $1 and p.started_at >= $2 order by p.started_at limit $3)
		union all
		(select gen_random_uuid()::text, case when random() < 0.8 then $5 else $6 end, o.id::text from players o
		  where o.org_id = $1 order by random() limit $4)`, fieldOrg, at, random.IntN(20), random.IntN(20), fieldFork, otherFork)
	if err != nil {
		return err
	}
	plays, err := pgx.CollectRows(rows, pgx.RowToStructByPos[line])
	if err != nil {
		return err
	}
	var file strings.Builder
	for _, p := range plays {
		started := at.Add(time.Duration(random.Int64N(int64(3 * day)))).Truncate(time.Millisecond)
		fmt.Fprintf(&file, `{"type":"play","id":%q,"forkId":%q,"playerId":%q,"startedAt":%q,"skills":[{"skillId":%q,"attempts":%d,"correct":1}]`,
			p.ID, p.ForkID, p.PlayerID, started.Format(time.RFC3339Nano), games.Skill(random.IntN(games.SkillCount)).ID(), 1+random.IntN(3))
		if random.IntN(3) > 0 {
			fmt.Fprintf(&file, `,"completedAt":%q,"scorePercent":%d,"passed":%t`, started.Add(time.Minute).Format(time.RFC3339Nano), random.IntN(101), random.IntN(2) == 0)
		}
		file.WriteString("}\n")
	}
	_, err = im.Import(ctx, []importer.Input{{Name: "plays", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(file.String())), nil }}}, nil)
	return err
}

// differs reads a random report from segments and from the plays alone, in one snapshot, and returns how they differ, or how
// the list of reports differs from them.
func (f *field) differs(ctx context.Context, random *rand.Rand) error {
	q := Query{OrganisationID: fieldOrg, ForkID: fieldFork, Period: Period{From: fieldFrom.Add(time.Duration(random.IntN(60)) * day), Days: 1 + random.IntN(110)}}
	if random.IntN(3) == 0 {
		q.GroupID = fieldGroup
	}
	s, err := open(ctx, f.db.DB, q, true)
	if err != nil {
		return err
	}
	defer s.close()
	fromSegments, fromPlays := newTally(q.Period), newTally(q.Period)
	if s.scope.grouped {
		err = s.foldGroup(ctx, fromSegments)
	} else {
		err = s.fold(ctx, fromSegments)
	}
	if err != nil {
		return err
	}
	if err := s.plays(ctx, []time.Time{q.Period.From}, []time.Time{q.Period.End()}, fromPlays.add); err != nil {
		return err
	}
	label := func(ordinal int32) string { return fmt.Sprint(ordinal) }
	if a, b := fromSegments.statistics(label), fromPlays.statistics(label); !assert.ObjectsAreEqual(b, a) {
		return fmt.Errorf("%s (group %q) differs: %d plays from %d sealed days and %d months, %d from the plays",
			q.Period, q.GroupID, a.Plays, len(s.sealed.days), len(s.sealed.months), b.Plays)
	}
	if s.scope.grouped {
		return nil
	}
	listed, _, err := playsOfForks(ctx, s.conn, fieldOrg, q.Period)
	if err == nil && listed[fieldFork] != fromPlays.total.plays {
		err = fmt.Errorf("%s: %d plays in the list of reports, %d in the statistics", q.Period, listed[fieldFork], fromPlays.total.plays)
	}
	return err
}

// serialised says whether a writer was only told to try again, as any is in PostgreSQL: a deadlock with another writer, a
// wait that was too long, a player who was just erased; an import also that a play it names has another fork by now.
func serialised(err error) bool {
	if _, ok := errors.AsType[*importer.Errors](err); ok {
		return true
	}
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == "40P01" || pgErr.Code == "55P03" || pgErr.Code == "23503")
}

// Performance, "A segment": random interleavings of writes, changes, deletions, erased players, bulk writes, imports and
// seals, with 8 writers, an importer and readers beside them: what is read with segments is what the plays say, always.
func TestSegmentsAgreeWithPlaysUnderWriters(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.sealer.largest = 30 // some days are larger
	lasts := 3 * time.Second
	if os.Getenv("DG_SOAK") != "" {
		lasts = 60 * time.Second
	}
	began := time.Now()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	writers, err := postgres.Open(t.Context(), f.db.OwnerURL, postgres.Options{MaxConns: 8})
	require.NoError(t, err)
	defer writers.Close()
	_, err = writers.Pool.Exec(t.Context(), insertSQL, fieldFrom, 100, 3000)
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
		if err := f.write(ctx, random, writers); !serialised(err) {
			return err
		}
		return nil
	})
	owner, err := postgres.Open(t.Context(), f.db.OwnerURL, postgres.Options{MaxConns: 1})
	require.NoError(t, err)
	defer owner.Close()
	im := importer.New(owner.Pool)
	work(1, func(random *rand.Rand) error {
		err := f.importSome(ctx, random, im)
		if err == nil {
			imports.Add(1)
		}
		if serialised(err) {
			return nil
		}
		return err
	})
	work(2, func(random *rand.Rand) error { reads.Add(1); return f.differs(ctx, random) })
	work(2, func(*rand.Rand) error {
		done, err := f.sealer.Seal(ctx)
		days.Add(int64(done.Days))
		months.Add(int64(done.Months))
		large.Add(int64(done.Large))
		busy.Add(int64(done.Busy))
		if errors.Is(err, ErrSealing) { // the other one does
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

	// At rest: everything that is due is sealed, and says what the plays say. One day at least is a large one.
	require.Eventually(t, func() bool { // a statement that was cancelled may still commit
		var busy int
		err := f.db.Owner.Pool.QueryRow(t.Context(), `select count(*) from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`).Scan(&busy)
		return err == nil && busy == 0
	}, 20*time.Second, 10*time.Millisecond)
	f.exec(t, insertSQL, fieldFrom.Add(50*day), 1, 200)
	require.Eventually(t, func() bool { // the sessions that were cancelled may hold their locks for a moment
		if _, err := f.sealer.Seal(t.Context()); err != nil {
			return assert.ErrorIs(t, err, ErrSealing) && false
		}
		var due int
		require.NoError(t, f.db.DB.Pool.QueryRow(t.Context(), `select count(*) from (`+dueDaysSQL+`) x`, fieldOrg, fieldFork, fieldNow).Scan(&due))
		return due == 0
	}, 20*time.Second, 50*time.Millisecond)
	random := rand.New(rand.NewPCG(9, 9))
	for range 50 {
		require.NoError(t, f.differs(t.Context(), random))
	}
	require.Positive(t, f.count(t, `select count(*) from fork_months`))
	require.Positive(t, f.count(t, `select count(*) from fork_days where head_bytes = 0`))
	wrong, err := f.sealer.Verify(t.Context())
	require.NoError(t, err)
	require.Empty(t, wrong)
}

// A writer at another isolation level could not see a segment that was sealed since it began: it is refused.
func TestPlaysAreWrittenAtReadCommittedOnly(t *testing.T) {
	t.Parallel()
	f := newField(t)
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		tx, err := f.db.Owner.Pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), insertSQL, fieldFrom, 1, 1)
		require.ErrorContains(t, err, "READ COMMITTED")
		require.NoError(t, tx.Rollback(t.Context()))
	}
}

// Every way in which a play can change leaves its day read from the plays until it is sealed again.
func TestEachChangeUnseals(t *testing.T) {
	t.Parallel()
	f := newField(t)
	random := rand.New(rand.NewPCG(1, 2))
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := f.db.Owner.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
		for range 10 {
			require.NoError(t, f.differs(t.Context(), random))
		}
		_, err = f.sealer.Seal(t.Context())
		require.NoError(t, err)
		for range 10 {
			require.NoError(t, f.differs(t.Context(), random))
		}
	}
	exec(insertSQL, fieldFrom, 100, 2000)
	var sealedDays, sealedMonths int
	require.NoError(t, f.db.DB.Pool.QueryRow(t.Context(), `select (select count(*) from fork_days where fork_id = $1), (select count(*) from fork_months where fork_id = $1)`, fieldFork).Scan(&sealedDays, &sealedMonths))
	require.Equal(t, []int{99, 3}, []int{sealedDays, sealedMonths}, "today and its month are not finished")
	exec(insertSQL, fieldFrom.Add(30*day), 1, 1)
	exec(`update plays set score = 1, passed = false, completed_at = started_at where started_at < $1`, fieldFrom.Add(3*day))
	exec(`update plays set player = 1 + player % 40 where started_at < $1`, fieldFrom.Add(30*day))
	exec(`update plays set started_at = started_at + interval '33 days', completed_at = null, score = null, passed = null where started_at < $1`, fieldFrom.Add(5*day))
	exec(`delete from plays where started_at < $1`, fieldFrom.Add(10*day))
	exec(`update plays set fork_id = $1 where started_at < $2`, otherFork, fieldFrom.Add(15*day))
	exec(`delete from players where ordinal in (1, 7)`) // a member of the group, and another
	exec(`truncate plays`)
}
