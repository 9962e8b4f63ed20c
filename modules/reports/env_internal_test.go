package reports

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit"

	"dg/modules/reports/sealer"
	"dg/platform/postgres"
)

// env is a database with one organisation, two forks and 40 players, 10 of them in a group. Plays
// fall within a hundred days around the turn of a year.
type env struct {
	*testkit.World
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
	theFork  = testkit.Fork{ID: testFork, OrganisationID: testOrg}
	testFrom = time.Date(2023, 11, 20, 0, 0, 0, 0, time.UTC)
	testNow  = testFrom.Add(99*day + 12*time.Hour)
)

func newEnv(t *testing.T) *env {
	t.Parallel()
	db := testkit.New(t)
	db.Organisation(testkit.Organisation{ID: testOrg, ReportingMode: "nominative"})
	for _, id := range []string{testFork, otherFork} {
		db.Fork(testkit.Fork{ID: id, OrganisationID: testOrg})
	}
	db.Players(testOrg, 40)
	e := &env{
		World: db, reports: New(db.DB, Options{FixedPseudonyms: true, PlayerVersions: true}),
		sealer: newSealer(db.DB),
	}
	e.group(testGroup, `select i from generate_series(1, 40, 4) i`)
	return e
}

// newSealedEnv has n random plays within some days from testFrom on, which are sealed.
func newSealedEnv(t *testing.T, days, n int) *env {
	e := newEnv(t)
	e.insert(testFrom, days, n)
	e.seal(t)
	return e
}

func newSealer(db *postgres.DB) *sealer.Sealer {
	s := sealer.New(db, func() time.Time { return testNow }, slog.New(slog.DiscardHandler))
	s.MinPlays = 0
	return s
}

// group stores a group of the players whose ordinals the query returns.
func (e *env) group(id, ordinals string, args ...any) {
	e.Exec(`insert into player_groups (id, org_id, name) values ($1::uuid, $2, $1::text)`, id, testOrg)
	e.Exec(`insert into group_members select '`+testOrg+`', '`+id+`', * from (`+ordinals+`) o`, args...)
}

// play adds a play of the fork by a player at each of the times, unfinished and without answers.
func (e *env) play(fork string, player int, at ...time.Time) {
	e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), $1, $2, $3::int, s, '' from unnest($4::timestamptz[]) s`,
		testOrg, fork, player, at)
}

// insert adds n random plays within some days from an instant on.
func (e *env) insert(at time.Time, days, n int) {
	e.Exec(insertSQL, pgx.NamedArgs{"at": at, "days": days, "n": n})
}

const insertSQL = `insert into plays (id, org_id, fork_id, player, started_at, completed_at, score, passed, answers)
	select gen_random_uuid(), '` + testOrg + `', case when random() < 0.8 then '` + testFork +
	`' else '` + otherFork +
	`' end::uuid, (array(select ordinal from players))[1 + floor(random() * 40)], s, case when done then s + interval '5 s' end,
	       case when done then floor(random() * 10001) end, case when done then random() < 0.5 end,
	       decode(repeat(lpad(to_hex((random() * 59)::int), 2, '0'), (random() * 6)::int), 'hex')
	  from (select date_trunc('milliseconds', @at::timestamptz + random() * @days * interval '1 day') as s, random() < 0.7 as done from generate_series(1, @n)) x`

func query(from time.Time, days int, group string) Query {
	return Query{
		OrganisationID: testOrg, ForkID: testFork, Period: Period{From: from, Days: days},
		GroupID: group,
	}
}

func (e *env) seal(t *testing.T) sealer.Result {
	done, err := e.sealer.Seal(t.Context())
	require.NoError(t, err)
	return done
}

func (e *env) statistics(ctx context.Context, q Query) (Statistics, error) {
	report, err := e.reports.Open(ctx, q)
	if err != nil {
		return Statistics{}, err
	}
	defer report.Close()
	return e.reports.Statistics(ctx, report)
}

func (e *env) agrees(t *testing.T) {
	random := rand.New(rand.NewPCG(rand.Uint64(), 4))
	for range 20 {
		require.NoError(t, e.differs(t.Context(), random))
	}
}
