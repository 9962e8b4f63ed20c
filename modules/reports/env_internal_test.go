package reports

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/fairshare"
	"dg/platform/testkit/pgtest"

	"dg/modules/reports/sealer"
	"dg/modules/reports/snapshot"
)

// env is a database with one organisation, two forks and 40 players of whom 10 are a group, where
// plays fall within a hundred days around the turn of a year. now is in the last of these days.
type env struct {
	db      *pgtest.Database
	reports *Service
	sealer  *sealer.Sealer
}

const (
	testOrg   = "00000000-0000-4000-8000-000000000001"
	testFork  = "00000000-0000-4000-8000-000000000002"
	otherFork = "00000000-0000-4000-8000-000000000003"
	testGroup = "00000000-0000-4000-8000-000000000004"
)

var (
	testFrom = time.Date(2023, 11, 20, 0, 0, 0, 0, time.UTC)
	testNow  = testFrom.Add(99*snapshot.Day + 12*time.Hour)
)

func newEnv(t testing.TB) *env {
	t.Helper()
	db := pgtest.New(t)
	_, err := db.Owner.Pool.Exec(t.Context(), `
		insert into organisations (id, slug, name, plan, reporting_mode) values ('`+testOrg+
		`', 'o', 'O', 'pro', 'nominative');
		insert into games (id, slug, title) values ('`+testOrg+`', 'g', 'G');
		insert into forks (id, org_id, game_id, slug, title, major, status, visibility, source_locale, suspended,
		  created_at, updated_at)
		select f, '`+testOrg+`', '`+testOrg+
		`', f, 'F', 1, 'active', 'public', 'en', false, now(), now() from unnest(array['`+testFork+
		`', '`+otherFork+`']::uuid[]) f;
		insert into players (id, org_id, ordinal, label, display_name) select gen_random_uuid(), '`+
		testOrg+`', i, 'P-' || i, 'Player ' || i from generate_series(1, 40) i;
		insert into player_ordinals values ('`+testOrg+`', 40);
		insert into player_groups (id, org_id, name) values ('`+testGroup+`', '`+testOrg+`', 'G');
		insert into group_members select '`+testOrg+`', '`+testGroup+
		`', i from generate_series(1, 40, 4) i`)
	require.NoError(t, err)
	now := func() time.Time { return testNow }
	return &env{
		db:      db,
		reports: New(db.DB, db.DB, NewLimits(db.DB)),
		sealer:  sealer.New(db.DB, now, slog.New(slog.NewTextHandler(io.Discard, nil)), 0),
	}
}

// insertSQL adds $3 random plays within $2 days from $1 on.
const insertSQL = `insert into plays (id, org_id, fork_id, player, started_at, completed_at, score, passed, answers)
	select gen_random_uuid(), '` + testOrg + `', case when random() < 0.8 then '` + testFork +
	`' else '` + otherFork +
	`' end::uuid, (array(select ordinal from players))[1 + floor(random() * 40)], s, case when done then s + interval '5 s' end,
	       case when done then floor(random() * 10001) end, case when done then random() < 0.5 end,
	       decode(repeat(lpad(to_hex((random() * 59)::int), 2, '0'), (random() * 6)::int), 'hex')
	  from (select date_trunc('milliseconds', $1::timestamptz + random() * $2 * interval '1 day') as s, random() < 0.7 as done from generate_series(1, $3)) x`

// query selects a report on some days of the fork. group "": all players.
func query(from time.Time, days int, group string) Query {
	return Query{
		OrganisationID: testOrg,
		ForkID:         testFork,
		Period:         Period{From: from, Days: days},
		GroupID:        group,
	}
}

// exec runs SQL as the owner of the tables.
func (e *env) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := e.db.Owner.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// count reads a number as the owner of the tables.
func (e *env) count(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, e.db.Owner.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// seal makes one pass.
func (e *env) seal(t *testing.T) sealer.Result {
	t.Helper()
	done, err := e.sealer.Seal(t.Context())
	require.NoError(t, err)
	return done
}

// statistics answers a report, and holds nothing of it.
func (e *env) statistics(ctx context.Context, q Query) (Statistics, error) {
	report, err := e.reports.Open(ctx, q, func(l *fairshare.Lease) { defer l.Release() })
	if err != nil {
		return Statistics{}, err
	}
	return e.reports.Statistics(ctx, report)
}

// begin opens an export and reads its first row.
func (e *env) begin(t testing.TB, q Query, f Format) *Export {
	t.Helper()
	x, err := e.reports.OpenExport(t.Context(), q, f)
	require.NoError(t, err)
	t.Cleanup(x.Close)
	x.Begin(t.Context())
	return x
}

// agrees compares random reports with the plays.
func (e *env) agrees(t *testing.T) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		require.NoError(t, e.differs(t.Context(), random))
	}
	wrong, err := e.sealer.Verify(t.Context())
	require.NoError(t, err)
	require.Empty(t, wrong)
}

// await polls until the statement says true, of what another session does, or that has ended.
func (e *env) await(t *testing.T, message string, ended chan error, sql string) {
	t.Helper()
	require.Eventually(t, func() (yes bool) {
		return len(ended) > 0 || e.db.Owner.Pool.QueryRow(t.Context(), sql).Scan(&yes) == nil && yes
	}, 10*time.Second, 2*time.Millisecond, message)
}

// hold takes a lock in a session of its own and returns how to give it back.
func (e *env) hold(t *testing.T, sql string) (release func()) {
	t.Helper()
	conn, err := e.db.Owner.Pool.Acquire(t.Context())
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
