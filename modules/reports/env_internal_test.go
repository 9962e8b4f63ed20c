package reports

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/reports/sealer"
	"dg/platform/format"
	"dg/platform/postgres"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// env is a database with one organisation, two forks and 40 players, 10 of them in a group. Plays
// start within a hundred days around a year's end. A damaged segment fails the test.
type env struct {
	*testkit.World
	reports *Service
	sealer  *sealer.Sealer
}

const (
	testOrgID   = "00000000-0000-4000-8000-000000000001"
	testForkID  = "00000000-0000-4000-8000-000000000002"
	otherForkID = "00000000-0000-4000-8000-000000000003"
	testGroupID = "00000000-0000-4000-8000-000000000004"
)

var (
	testFork = testkit.Fork{ID: testForkID, OrganisationID: testOrgID}
	testFrom = time.Date(2023, 11, 20, 0, 0, 0, 0, time.UTC)
	testNow  = testFrom.Add(99*day + 12*time.Hour)
)

func newEnv(t *testing.T) *env {
	t.Parallel()
	w := testkit.New(t)
	w.AddOrganisation(testkit.Organisation{ID: testOrgID, ReportingMode: "nominative"})
	for _, id := range []string{testForkID, otherForkID} {
		w.AddFork(testkit.Fork{ID: id, OrganisationID: testOrgID})
	}
	w.AddPlayers(testOrgID, 40)
	e := &env{
		World: w, reports: New(w.DB, Options{FixedPseudonyms: true, PlayerVersions: true}), sealer: newSealer(w.DB),
	}
	e.reports.OnDamage = func(q Query, err error) { t.Errorf("damage in %s: %v", q.Period, err) }
	e.storeGroup(testGroupID, `select i from generate_series(1, 40, 4) i`)
	return e
}

// newSealedEnv returns an env with n random plays on the given days from testFrom on. Finished days are sealed.
func newSealedEnv(t *testing.T, days, n int) *env {
	e := newEnv(t)
	e.insertRandomPlays(testFrom, days, n)
	e.seal(t)
	return e
}

func newSealer(db *postgres.DB) *sealer.Sealer {
	s := sealer.New(db, func() time.Time { return testNow }, slog.New(slog.DiscardHandler))
	s.MinPlays = 0
	return s
}

// storeGroup stores a group. ordinalsSQL selects the ordinals of its members.
func (e *env) storeGroup(id, ordinalsSQL string, args ...any) {
	e.Exec(`insert into player_groups (id, org_id, name) values ($1::uuid, $2, $1::text)`, id, testOrgID)
	e.Exec(`insert into group_members select '`+testOrgID+`', '`+id+`', * from (`+ordinalsSQL+`) o`, args...)
}

// storePlays adds a play of the fork by the player at each time, unfinished and without answers.
func (e *env) storePlays(fork string, player int, starts ...time.Time) {
	e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), $1, $2, $3::int, s, '' from unnest($4::timestamptz[]) s`,
		testOrgID, fork, player, starts)
}

func (e *env) insertRandomPlays(from time.Time, days, n int) {
	e.Exec(insertRandomPlaysSQL, pgx.NamedArgs{"at": from, "days": days, "n": n})
}

const insertRandomPlaysSQL = `insert into plays (id, org_id, fork_id, player, started_at, completed_at, score, passed,
	answers) select gen_random_uuid(), '` + testOrgID + `', case when random() < 0.8 then '` + testForkID +
	`' else '` + otherForkID +
	`' end::uuid, (array(select ordinal from players))[1 + floor(random() * 40)], s, case when done then s + interval '5 s' end,
	       case when done then floor(random() * 10001) end, case when done then random() < 0.5 end,
	       decode(repeat(lpad(to_hex((random() * 59)::int), 2, '0'), (random() * 6)::int), 'hex')
	  from (select date_trunc('milliseconds', @at::timestamptz + random() * @days * interval '1 day') as s, random() < 0.7 as done from generate_series(1, @n)) x`

func newQuery(from time.Time, days int, group string) Query {
	return Query{OrganisationID: testOrgID, ForkID: testForkID, Period: Period{From: from, Days: days}, GroupID: group}
}

func (e *env) seal(t *testing.T) sealer.Result {
	return tb.Must(e.sealer.Seal(t.Context()))(t)
}

func (e *env) statistics(ctx context.Context, q Query) (Statistics, error) {
	report, err := e.reports.Open(ctx, q)
	if err != nil {
		return Statistics{}, err
	}
	defer report.Close()
	return e.reports.Statistics(ctx, report)
}

// openReport opens a report, which the test's cleanup closes.
func (e *env) openReport(t *testing.T, q Query) *Report {
	report := tb.Must(e.reports.Open(t.Context(), q))(t)
	t.Cleanup(report.Close)
	return report
}

func (e *env) openExport(t *testing.T, q Query) *Export {
	export := tb.Must(e.reports.OpenExport(t.Context(), q, format.CSV))(t)
	t.Cleanup(export.Close)
	return export
}

func (e *env) mustStatistics(t *testing.T, q Query) Statistics {
	return tb.Must(e.statistics(t.Context(), q))(t)
}

// requireAgreement requires that random reports and overviews do not depend on whether they read segments.
func (e *env) requireAgreement(t *testing.T) {
	random := rand.New(rand.NewPCG(rand.Uint64(), 4))
	for range 20 {
		require.NoError(t, e.checkRandomReport(t.Context(), random))
	}
}

// checkRandomReport compares a random report and overview with the snapshot's plays. If a segment is damaged, it reads
// both again, as the service does.
func (e *env) checkRandomReport(ctx context.Context, random *rand.Rand) error {
	groupID := []string{"", "", testGroupID}[random.IntN(3)]
	q := newQuery(testFrom.AddDate(0, 0, random.IntN(60)), 1+random.IntN(110), groupID)
	q.OmitLists = random.IntN(4) == 0
	s, err := openSnapshot(ctx, e.DB, q, true)
	if err != nil {
		return err
	}
	defer func() { s.close() }()
	return e.reports.readWithRetry(ctx, &s, func(s *snapshot) error { return s.compareWithPlays(ctx) })
}

func (s *snapshot) compareWithPlays(ctx context.Context) error {
	s.Suppressed = false
	fromSegments, err := s.statistics(ctx)
	if err != nil {
		return err
	}
	unsealed := *s
	unsealed.sealedDays, unsealed.sealedMonths = nil, nil
	fromPlays, err := unsealed.statistics(ctx)
	if err != nil {
		return err
	}
	if !sameStatistics(fromSegments, fromPlays) {
		return fmt.Errorf("%s (group %q) differs: %d plays from %d sealed days and %d months, %d from the plays",
			s.query.Period, s.query.GroupID, fromSegments.Plays, len(s.sealedDays), len(s.sealedMonths),
			fromPlays.Plays)
	}
	p := s.query.Period
	compared := [2]Period{p, {p.From.AddDate(0, 0, -p.Days-3), p.Days}} // three days between them
	want, err := plainOverview(ctx, s.conn, compared)
	if err != nil {
		return err
	}
	q := Query{OrganisationID: testOrgID, Period: overviewPeriod(compared)}
	got, err := newSnapshot(s.conn, q, s.useSegments).overview(ctx, compared, maxOverviewPlays)
	if err == nil && !assert.ObjectsAreEqual(want, got) {
		err = fmt.Errorf("the overview of %s: %+v instead of %+v", s.query.Period, got, want)
	}
	return err
}

func sameStatistics(a, b Statistics) bool {
	samePlayers := assert.ObjectsAreEqual(a.Players(), b.Players())
	a.Player, b.Player = nil, nil
	return samePlayers && assert.ObjectsAreEqual(a, b)
}

// plainOverview is the reference overview, counted from the plays.
func plainOverview(ctx context.Context, db *pgxpool.Conn, compared [2]Period) (Overview, error) {
	o := Overview{Counted: true, Forks: map[string]*ForkOverview{testForkID: {}, otherForkID: {}}}
	current, earlier := compared[0], compared[1]
	for fork, f := range o.Forks {
		var weeks []int64
		var scores int64
		err := db.QueryRow(ctx, `select s.*, (select count(*) from plays where fork_id = $1 and started_at >= $4 and started_at < $5),
			  array(select (select count(*) from plays where fork_id = $1
			    and started_at >= week and started_at < week + interval '7 days')
			  from generate_series($2 - interval '84 days', $2 - interval '1 day', interval '7 days') week)
			  from (select count(*), count(distinct player), count(score), count(*) filter (where passed),
			      coalesce(sum(score), 0) from plays where fork_id = $1
			    and started_at >= $3 and started_at < $2::timestamptz) s`,
			fork, current.End(), current.From, earlier.From, earlier.End()).
			Scan(&f.Plays, &f.UniquePlayers, &f.Completed, &f.Passed, &scores, &f.EarlierPlays, &weeks)
		if err != nil {
			return o, err
		}
		copy(f.Weeks[:], weeks)
		f.AvgScore = meanScore(scores, f.Completed)
	}
	for i, total := range []*Statistics{&o.Current, &o.Earlier} {
		err := db.QueryRow(ctx, `select count(*), count(score), count(*) filter (where passed), count(distinct player) from plays
			where org_id = $1 and started_at >= $2 and started_at < $3`, testOrgID, compared[i].From, compared[i].End()).
			Scan(&total.Plays, &total.Completed, &total.Passed, &total.UniquePlayers)
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// Above maxOverviewPlays an overview counts plays only. An overview with a damaged segment is read again from plays.
func TestLargeOverviewCountsPlaysOnly(t *testing.T) {
	e := newEnv(t)
	e.insertRandomPlays(testFrom.AddDate(0, 0, 30), 1, 100)
	otherOrgID := e.AddOrganisation(testkit.Organisation{}).ID
	e.AddPlayers(otherOrgID, 1)
	e.AddPlays(e.AddFork(testkit.Fork{OrganisationID: otherOrgID}), 5, testFrom.AddDate(0, 0, 30), 0) // not counted
	q := Query{OrganisationID: testOrgID, Period: Period{From: testFrom.AddDate(0, 0, 32), Days: 28}}
	earlier := Period{From: testFrom.AddDate(0, 0, 4), Days: 28}
	e.reports.maxOverviewPlays = 99
	o := tb.Must(e.reports.Overview(t.Context(), q, earlier))(t)
	require.Equal(t, []any{false, Statistics{Plays: 100}}, []any{o.Counted, o.Earlier})
	e.reports.maxOverviewPlays = 100
	e.seal(t)
	o = tb.Must(e.reports.Overview(t.Context(), q, earlier))(t)
	require.True(t, o.Counted)
	require.Positive(t, o.Earlier.UniquePlayers)

	damageReports := 0
	e.reports.OnDamage = func(Query, error) { damageReports++ }
	e.Exec(`update fork_days set sums = set_byte(sums, 6, 77) where fork_id = $1`, testForkID)
	require.Equal(t, o, tb.Must(e.reports.Overview(t.Context(), q, earlier))(t))
	require.Equal(t, 1, damageReports)
}

// A read of plays that breaks off after some rows is an error, never a smaller figure.
func TestReadThatBreaksOffIsAnError(t *testing.T) {
	e := newSealedEnv(t, 60, 400)
	e.Exec(`create function readable(player int) returns boolean language plpgsql as $$ begin
		if player = 37 then raise 'broken off'; end if; return true; end $$`)
	e.Exec(`create policy readable on plays using (readable(player)); alter table plays enable row level security`)
	q := newQuery(testFrom, 60, "")
	require.ErrorContains(t, tb.ErrorOf(e.reports.Overview(t.Context(), q, Period{})), "broken off")
	e.Exec(`truncate fork_days, fork_months`)
	for _, q.GroupID = range []string{"", testGroupID} {
		require.ErrorContains(t, tb.ErrorOf(e.statistics(t.Context(), q)), "broken off")
	}
}
