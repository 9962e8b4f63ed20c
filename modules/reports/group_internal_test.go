package reports

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/org"
	"dg/modules/reports/segment"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// doc.go, Invariants: opening a report returns the group's owner and reads no scores.
func TestGroupOwnerIsKnownBeforeScoresAreRead(t *testing.T) {
	e := newEnv(t)
	const otherOrg = otherForkID // ids of different tables may be equal
	const otherGroup = testForkID
	e.AddOrganisation(testkit.Organisation{ID: otherOrg})
	e.Exec(`insert into player_groups (id, org_id, name) values ($2, $1, 'H')`, otherOrg, otherGroup)
	e.insertRandomPlays(testFrom, 10, 2_000)
	// readAfter opens a report and an export, makes the change, and reads both
	readAfter := func(group, change string) (Header, Statistics, []error) {
		q := newQuery(testFrom, 10, group)
		report := e.openReport(t, q)
		defer report.Close()
		export := e.openExport(t, q)
		defer export.Close()
		require.Equal(t, report.Header, export.Header)
		e.Exec(change)
		stats, statsErr := e.reports.Statistics(t.Context(), report)
		_, err := export.AppendRows(t.Context(), nil, 1)
		return report.Header, stats, []error{statsErr, err}
	}
	e.Exec(`alter table plays rename score to unread`)
	header, _, errs := readAfter(testGroupID, `select`)
	require.Equal(t, Header{GroupOwner: testOrgID, ReportingMode: org.Nominative}, header)
	for _, err := range errs {
		require.ErrorContains(t, err, `column "score" does not exist`)
	}
	e.Exec(`alter table plays rename unread to score`)

	_, stats, errs := readAfter(testGroupID, `delete from plays`)
	require.Equal(t, []error{nil, nil}, errs)
	require.Positive(t, stats.Plays)

	header, _, errs = readAfter(otherGroup, `select`)
	require.Equal(t, otherOrg, header.GroupOwner)
	for _, err := range errs {
		require.ErrorIs(t, err, ErrGroupNotFound)
	}
	require.Zero(t, e.DB.Pool.Stat().AcquiredConns())

	for _, unknown := range []string{testOrgID, "G", "\x00"} {
		require.ErrorIs(t, tb.ErrorOf(e.statistics(t.Context(), newQuery(testFrom, 10, unknown))), ErrGroupNotFound)
	}
	require.Zero(t, e.reports.smallReports.Stats().Running)
}

// rules.md, Anonymity: a group is suppressed when fewer than 5 of its members played in the period.
func TestGroupIsSuppressedBelowFiveActiveMembers(t *testing.T) {
	e := newEnv(t)
	otherOrg := e.AddOrganisation(testkit.Organisation{}).ID
	e.AddGroup(otherOrg, e.AddPlayers(otherOrg, 40)...) // players with the ordinals of ours
	q := newQuery(testFrom, 1, testGroupID)
	play := func(member int, at time.Time) { e.storePlays(testForkID, 4*member+1, at) }
	isSuppressed := func() bool {
		report := e.openReport(t, q)
		shown := tb.Must(e.reports.UnsuppressedGroupPlayers(t.Context(), q))(t)
		require.Equal(t, map[bool]map[string]int64{true: {}, false: {testGroupID: 5}}[report.Suppressed], shown)
		return report.Suppressed
	}
	for member := range 4 {
		play(member, testFrom)
		play(member, testFrom.Add(time.Hour))
	}
	e.storePlays(otherForkID, 4*7+1, testFrom)
	play(4, testFrom.Add(-time.Millisecond))
	play(5, testFrom.Add(day))
	require.True(t, isSuppressed())
	play(6, testFrom.Add(day-time.Millisecond))
	require.False(t, isSuppressed())
}

// A report on a group reads only the blocks of a month that have members. Damage in other blocks is not detected.
func TestGroupReportReadsOnlyBlocksWithMembers(t *testing.T) {
	e := newEnv(t)
	e.insertRandomPlays(testFrom, 90, 500)
	e.Exec(`update player_ordinals set last = $1`, segment.BlockPlayers-1)
	e.AddPlayers(testOrgID, 150)
	e.storeGroup(otherForkID, `select ordinal from players where ordinal >= $1`, segment.BlockPlayers)
	for player := range 150 {
		e.storePlays(testForkID, segment.BlockPlayers+player, testFrom.AddDate(0, 0, 20+player%60))
	}
	q := newQuery(testFrom, 99, otherForkID)
	want := e.mustStatistics(t, q)
	e.seal(t)
	e.Exec(`update fork_months set segment = set_byte(segment, head_bytes, get_byte(segment, head_bytes) # 1)`)
	require.True(t, sameStatistics(want, e.mustStatistics(t, q)))
	damageReports := 0
	e.reports.OnDamage = func(Query, error) { damageReports++ }
	e.Exec(`update fork_months set segment = set_byte(segment, octet_length(segment) - 1, 255)`)
	require.True(t, sameStatistics(want, e.mustStatistics(t, q)))
	require.Equal(t, 1, damageReports)
	require.True(t, members{segment.BlockPlayers - 1: true}.inBlock(0), "the last ordinal of a block")
}

// doc.go, Invariants: besides memberships, a report on a group reads no more pages and rows than that on all players.
func TestGroupNeverCostsMoreThanAllPlayers(t *testing.T) {
	e := newEnv(t)
	const players, largeDayPlays = 3500, 8_000
	e.sealer.MaxDayPlays = largeDayPlays / 2
	groups := map[int]string{}
	memberships := 0
	e.AddPlayers(testOrgID, players-40)
	// A group is large in segments from 51 members, in plays from 438.
	for _, members := range []int{25, 50, 51, 350, 437, 438, 2500, players} {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", 1000+members)
		groups[members] = id
		memberships += members // without planner statistics, all memberships may be read
		e.storeGroup(id, `select 1 + i * ($2 / $1) from generate_series(0, $1::int - 1) i`, members, players)
	}
	for date := range 10 { // two of the ten days are large
		plays := 50
		if date%5 == 4 {
			plays = largeDayPlays
		}
		e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
			select gen_random_uuid(), $1, $2, 1 + i * 79 % $3::int, $4::timestamptz + i * interval '10 s', '\x02'
			  from generate_series(1, $5::int) i`, testOrgID, testForkID, players,
			testFrom.Add(time.Duration(date)*day), plays)
	}
	requireCosts := func(condition string) {
		for _, p := range []Period{{testFrom.Add(4 * day), 1}, {testFrom, 10}} { // a large day, and all days
			statisticsOfAll, exportOfAll := e.costOf(t, newQuery(p.From, p.Days, ""))
			for members, id := range groups {
				statistics, export := e.costOf(t, newQuery(p.From, p.Days, id))
				label := fmt.Sprintf("%s, %d days, %d members", condition, p.Days, members)
				assert.LessOrEqual(t, statistics, statisticsOfAll+4*memberships, "statistics: %s", label)
				assert.LessOrEqual(t, export, exportOfAll+4*memberships, "export: %s", label)
			}
		}
	}
	requireCosts("not analysed")
	e.Exec(`vacuum analyze`)
	requireCosts("unsealed")
	e.seal(t)
	require.Equal(t, 8, e.CountRows(`fork_days where head_bytes > 0`), "the days that are not large")
	requireCosts("sealed")
	e.storePlays(testForkID, 1, testFrom.Add(2*day))
	requireCosts("dirty")
}

// The totals of complete days equal those of a report on these days, and are hidden if that report is suppressed.
func TestCompleteDaysHaveTheTotalsOfTheirReport(t *testing.T) {
	e := newSealedEnv(t, 80, 4000)
	const smallGroup = testForkID
	e.storeGroup(smallGroup, `select i from generate_series(1, 5) i`)
	today := testFrom.Add(90 * day)
	e.insertRandomPlays(today, 1, 200)
	for i := range 5 { // the fifth member plays on the last day only
		e.storePlays(testForkID, i+1, today.Add(time.Duration(i/4-1)*day))
	}
	onlyTotalsHidden := false
	for from, days := range map[int]int{0: 91, 1: 62, 40: 45, 89: 2} {
		for _, group := range []string{"", testGroupID, smallGroup} {
			for completeDays := 1; completeDays < days; completeDays += days/3 + 1 {
				q := newQuery(testFrom.Add(time.Duration(from)*day), days, group)
				q.CompleteDays = completeDays
				got := e.mustStatistics(t, q)
				q.Period.Days = completeDays
				q.CompleteDays = 0
				q.OmitLists = true
				want := e.mustStatistics(t, q)
				if want.Suppressed {
					require.Nil(t, got.CompleteStatistics)
					onlyTotalsHidden = onlyTotalsHidden || !got.Suppressed
					continue
				}
				got.CompleteStatistics.ReportingMode = want.ReportingMode
				require.Equal(t, want, *got.CompleteStatistics, "%d of %d days, group %q", completeDays, days, group)
			}
		}
	}
	require.True(t, onlyTotalsHidden, "four members play on the complete day, five on both")
}

func (e *env) costOf(t *testing.T, q Query) (statistics, export int) {
	for _, segments := range []bool{true, false} {
		s := tb.Must(openSnapshot(t.Context(), e.DB, q, segments))(t)
		defer s.close()
		cost := e.countPagesAndRows(t, s, metadataSQL)
		if s.largeGroup {
			cost += e.countPagesAndRows(t, s, membersSQL)
		}
		if segments {
			sums, _ := tb.Must2(s.accumulate(t.Context()))(t)
			players := sums.Players.Ordinals()
			statistics = cost + e.countPagesAndRows(t, s, s.playsSQL(), playsArgs(s.query.Period, s.sealedDays)) +
				e.countPagesAndRows(t, s, labelsSQL(players), pgx.NamedArgs{"players": players})
			continue
		}
		x := Export{snapshot: s}
		if x.cachesPlayers() {
			cost += e.countPagesAndRows(t, s, exportPlayersSQL)
		}
		export = cost + e.countPagesAndRows(t, s, exportSQL+s.exportFromSQL()+exportOrderSQL)
	}
	return statistics, export
}

// countPagesAndRows adds up the pages and rows that a statement reads with its generic plan, which reports use.
func (e *env) countPagesAndRows(t *testing.T, s *snapshot, sql string, extra ...pgx.NamedArgs) int {
	args := pgx.NamedArgs{"mode": "nominative"}
	for _, a := range append(extra, s.args) {
		maps.Copy(args, a)
	}
	plan := genericPlan(t, s.conn.Conn(), sql, args)
	return plan.pages() + plan.rows(t)
}

// genericPlan runs a statement in a transaction with force_generic_plan.
func genericPlan(t *testing.T, tx *pgx.Conn, sql string, named pgx.NamedArgs) planNode {
	sql, args := tb.Must2(named.RewriteQuery(t.Context(), nil, sql, nil))(t)
	values := make([]string, len(args))
	for i := range args {
		values[i] = fmt.Sprint("$", i+1)
	}
	require.NoError(t, tb.ErrorOf(tx.Exec(t.Context(), `prepare explained as `+sql)), sql)
	var text []byte
	require.NoError(t, tx.QueryRow(t.Context(), `explain (analyze, buffers, format json)
		execute explained (`+strings.Join(values, ", ")+`)`,
		append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...).Scan(&text), sql)
	tb.Must(tx.Exec(t.Context(), `deallocate explained`))(t)
	var plans []struct{ Plan planNode }
	require.NoError(t, json.Unmarshal(text, &plans))
	return plans[0].Plan
}

type planNode struct {
	Type    string  `json:"Node Type"`
	Hit     int     `json:"Shared Hit Blocks"`
	Read    int     `json:"Shared Read Blocks"`
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Removed float64 `json:"Rows Removed by Filter"`
	Filter  string
	Plans   []planNode
}

func (n planNode) pages() int { return n.Hit + n.Read }

// rows counts the rows that the scans read. The test fails if a filter has an unhashed subplan, or an array that is
// not a literal: PostgreSQL hashes only literal arrays.
func (n planNode) rows(t *testing.T) (count int) {
	require.NotRegexp(t, `ANY \([^']|\(SubPlan`, n.Filter)
	if len(n.Plans) == 0 {
		return int((n.Rows + n.Removed) * n.Loops)
	}
	for _, child := range n.Plans {
		count += child.rows(t)
	}
	return count
}

// A group's metadata and sealed days are read from few pages, however many plays and members other groups have.
func TestMetadataOfAGroupCostsItsMembers(t *testing.T) {
	e := newEnv(t)
	e.AddPlayers(testOrgID, 19_960)
	e.storeGroup(otherForkID, `select i from generate_series(1, 20000) i`)
	e.AddPlays(testFork, 19_000, testFrom, 0)
	e.Exec(`vacuum analyze plays`)
	e.Exec(`vacuum analyze group_members`)
	s := newSnapshot(nil, newQuery(testFrom, 1, testGroupID), true)
	require.Less(t, e.countPages(t, metadataSQL, s.args), 100)
	require.Less(t, e.countPages(t, reportDaysSQL, s.args), 20)
}

func (e *env) countPages(t *testing.T, sql string, args pgx.NamedArgs) int {
	tx := e.Begin(`set local plan_cache_mode = force_generic_plan`)
	defer tx.Rollback(t.Context())
	return genericPlan(t, tx.Conn(), sql, args).pages()
}

// rules.md, Anonymity: Overlaps has what an attacker learns from the labels of two shown reports.
func TestOverlapsEqualWhatLabelsReveal(t *testing.T) {
	e := newEnv(t)
	random := rand.New(rand.NewPCG(rand.Uint64(), 1))
	const otherOrg = "00000000-0000-4000-8000-0000000000ff"
	e.Exec(`update organisations set reporting_mode = 'pseudonymous'`)
	e.AddOrganisation(testkit.Organisation{ID: otherOrg})
	e.AddPlayers(otherOrg, 40)
	report := func(group string) (Statistics, error) {
		q := newQuery(testFrom, 3, group)
		q.OverlapsTimeout = time.Minute
		return e.statistics(t.Context(), q)
	}
	overlapCount, suppressedCount := 0, 0
	for round := range 12 {
		e.Exec(`delete from plays`)
		e.Exec(`delete from player_groups`)
		groups := []string{""}
		for i := range 14 {
			id := fmt.Sprintf("00000000-0000-4000-8000-%06d%06d", 1+round, i)
			groups = append(groups, id)
			owner := testOrgID
			if i%7 == 6 {
				owner = otherOrg
			}
			e.Exec(`insert into player_groups (id, org_id, name) values ($1::uuid, $2, $1::text)`, id, owner)
			e.Exec(`insert into group_members select $2, $1, i from generate_series(1, $3::int) i
				where i <> all($4)`, id, owner, min(40, 4+random.IntN(1+3*i)),
				random.Perm(20 + random.IntN(20))[:random.IntN(1+i)])
		}
		e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
			select gen_random_uuid(), $1, $2, 1 + floor(random() * $4), $3, '' from generate_series(1, 70)`,
			testOrgID, testForkID, testFrom, 8+random.IntN(33))
		labels := map[string][]string{}
		overlaps := map[string][]Overlap{}
		for _, id := range groups {
			s, err := report(id)
			if err != nil {
				require.ErrorIs(t, err, ErrGroupNotFound)
				continue
			}
			for _, p := range s.Players() {
				labels[id] = append(labels[id], p.Label)
			}
			overlaps[id] = s.Overlaps
			if s.Suppressed {
				require.Empty(t, s.Overlaps)
				suppressedCount++
			}
		}
		for _, id := range groups {
			var want []Overlap
			for _, otherGroup := range groups[1:] {
				lacking := slices.DeleteFunc(slices.Clone(labels[id]), func(label string) bool {
					return slices.Contains(labels[otherGroup], label)
				})
				if n := len(lacking); n > 0 && n < MinGroup && len(labels[id])-n >= MinGroup {
					require.NotEmpty(t, labels[otherGroup], "a hidden group is never named")
					want = append(want, Overlap{otherGroup, n})
				}
			}
			want = want[:min(MaxOverlaps, len(want))]
			require.Equal(t, fmt.Sprint(want), fmt.Sprint(overlaps[id]), id)
			overlapCount += len(want)
		}
	}
	require.Positive(t, overlapCount)
	require.Positive(t, suppressedCount)
	e.Exec(`update organisations set reporting_mode = 'nominative'`)
	require.Empty(t, tb.Must(report(""))(t).Overlaps, "names need no comparison")
}

// The search for overlaps never fails its report, even without planner statistics, as after an import.
func TestSlowOverlapsDoNotFailTheReport(t *testing.T) {
	e := newEnv(t)
	e.Exec(`alter table group_members set (autovacuum_enabled = false)`)
	e.Exec(`update organisations set reporting_mode = 'pseudonymous'`)
	e.AddPlayers(testOrgID, 3_000)
	e.AddPlays(testFork, 3_000, testFrom, 0)
	for i := range 200 {
		id := fmt.Sprintf("00000000-0000-4000-9000-%012d", i)
		e.storeGroup(id, `select j from generate_series(1, 3000) j where j % 3000 <> $1`, i)
	}
	q := newQuery(testFrom, 1, "")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for timeout, allowed := range map[time.Duration][]int{
		300 * time.Millisecond: {0, MaxOverlaps}, // the search ends in time or finds none
		time.Nanosecond:        {0},
	} {
		q.OverlapsTimeout = timeout
		s := tb.Must(e.statistics(ctx, q))(t)
		require.EqualValues(t, 3_000, s.UniquePlayers)
		require.Contains(t, allowed, len(s.Overlaps))
	}
}
