package reports

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// doc.go, Invariants: a group never costs more than everybody, whatever is sealed and
// whatever the planner knows. The cost is the number of pages and rows that are read.
func TestGroupNeverCostsMoreThanEverybody(t *testing.T) {
	e := newEnv(t)
	const players = 3500
	const largeDay = 8_000
	e.sealer.MaxDayPlays = largeDay / 2
	groups := map[int]string{}
	memberships := 0
	e.Players(testOrg, players-40)
	// A group is large in segments from 51 members, in plays from 438.
	for _, members := range []int{25, 50, 51, 350, 437, 438, 2500, players} {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", 1000+members)
		groups[members] = id
		memberships += members // a table that was never analysed is read whole
		e.group(id, `select 1 + i * ($2 / $1) from generate_series(0, $1::int - 1) i`, members,
			players)
	}
	for date := range 10 { // two large days with others between
		plays := 50
		if date%5 == 4 {
			plays = largeDay
		}
		e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
			select gen_random_uuid(), $1, $2, 1 + i * 79 % $3::int, $4::timestamptz + i * interval '10 s', '\x02'
			  from generate_series(1, $5::int) i`, testOrg, testFork, players,
			testFrom.Add(time.Duration(date)*day), plays)
	}
	within := func(state string, p Period) {
		everybody, exported := e.costOf(t, query(p.From, p.Days, ""))
		for members, id := range groups {
			statistics, export := e.costOf(t, query(p.From, p.Days, id))
			of := fmt.Sprintf("%s, %d days, %d members", state, p.Days, members)
			assert.LessOrEqual(t, statistics, everybody+4*memberships, "statistics: %s", of)
			assert.LessOrEqual(t, export, exported+4*memberships, "export: %s", of)
		}
	}
	large := Period{From: testFrom.Add(4 * day), Days: 1}
	all := Period{From: testFrom, Days: 10}
	within("not analysed", large)
	within("not analysed", all)
	e.Exec(`vacuum analyze`)
	within("unsealed", large)
	within("unsealed", all)
	e.seal(t)
	require.Equal(t, 8, e.Count(`fork_days where head_bytes > 0`), "the days that are not large")
	within("sealed", large)
	within("sealed", all)
	e.play(testFork, 1, testFrom.Add(2*day))
	within("dirty", all)
}

func (e *env) costOf(t *testing.T, q Query) (statistics, export int) {
	for _, segments := range []bool{true, false} {
		s, err := open(t.Context(), e.DB, q, segments)
		require.NoError(t, err)
		defer s.close()
		explained := e.explain(t, s, metadataSQL)
		if s.largeGroup {
			explained += e.explain(t, s, membersSQL)
		}
		if segments {
			sums, err := s.sum(t.Context())
			require.NoError(t, err)
			players := sums.Players.Ordinals()
			statistics = explained + e.explain(t, s, s.playsSQL(), s.gaps()) +
				e.explain(t, s, labelsSQL(players), pgx.NamedArgs{"players": players})
			continue
		}
		x := Export{snap: s}
		if x.cachesPlayers() {
			explained += e.explain(t, s, exportPlayersSQL)
		}
		export = explained + e.explain(t, s, exportSQL+s.exportFrom()+exportOrder)
	}
	return statistics, export
}

// explain returns the pages and rows that a statement reads by its generic plan, as in reports.
func (e *env) explain(t *testing.T, s *snapshot, sql string, more ...pgx.NamedArgs) int {
	args := pgx.NamedArgs{"mode": "nominative"}
	for _, a := range append(more, s.args) {
		maps.Copy(args, a)
	}
	plan := genericPlan(t, s.conn, sql, args)
	return plan.pages() + plan.rows(t)
}

// genericPlan runs a statement in a transaction with force_generic_plan.
func genericPlan(t *testing.T, tx interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, sql string, named pgx.NamedArgs,
) planNode {
	sql, args, err := named.RewriteQuery(t.Context(), nil, sql, nil)
	require.NoError(t, err)
	values := make([]string, len(args))
	for i := range args {
		values[i] = fmt.Sprint("$", i+1)
	}
	_, err = tx.Exec(t.Context(), `prepare explained as `+sql)
	require.NoError(t, err, sql)
	var text []byte
	require.NoError(t, tx.QueryRow(t.Context(), `explain (analyze, buffers, format json)
		execute explained (`+strings.Join(values, ", ")+`)`,
		append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...).Scan(&text), sql)
	_, err = tx.Exec(t.Context(), `deallocate explained`)
	require.NoError(t, err)
	var plans []struct{ Plan planNode }
	require.NoError(t, json.Unmarshal(text, &plans))
	return plans[0].Plan
}

type planNode struct {
	Hit     int     `json:"Shared Hit Blocks"`
	Read    int     `json:"Shared Read Blocks"`
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Removed float64 `json:"Rows Removed by Filter"`
	Filter  string
	Plans   []planNode
}

func (n planNode) pages() int { return n.Hit + n.Read }

// rows counts the rows that are read. No filter may compare each with the rows of a subplan;
// a literal array is hashed.
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

// The metadata of a group costs its members, however many plays and members other groups have. In an
// organisation of few groups a generic plan would scan the table of members.
func TestMetadataOfAGroupCostsItsMembers(t *testing.T) {
	e := newEnv(t)
	e.Players(testOrg, 19_960)
	e.group(otherFork, `select i from generate_series(1, 20000) i`)
	e.Plays(theFork, 19_000, testFrom, 0)
	e.Exec(`vacuum analyze plays`)
	e.Exec(`vacuum analyze group_members`)
	s := newSnapshot(nil, query(testFrom, 1, testGroup), true)
	require.Less(t, e.pages(t, metadataSQL, s.args), 100)
	require.Less(t, e.pages(t, sealedDaysSQL, s.args), 20)
}

func (e *env) pages(t *testing.T, sql string, args pgx.NamedArgs) int {
	tx := e.Begin(`set local plan_cache_mode = force_generic_plan`)
	defer tx.Rollback(t.Context())
	return genericPlan(t, tx, sql, args).pages()
}
