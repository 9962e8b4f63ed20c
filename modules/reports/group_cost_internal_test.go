package reports

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/reports/snapshot"
)

// costPlayers are the players of TestGroupNeverCostsMoreThanEverybody, largeDayPlays the plays of
// its large days.
const (
	costPlayers   = 3500
	largeDayPlays = 8_000
)

// snapshot/doc.go, Invariants: a group never costs more than everybody, whatever is sealed and
// whatever the planner knows. The cost is the number of pages and rows that are read.
func TestGroupNeverCostsMoreThanEverybody(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.sealer.MaxDayPlays = largeDayPlays / 2
	groups := map[int]string{0: ""}
	memberships := 0
	e.Players(testOrg, costPlayers-40)
	// A group is large in segments from 51 members, in plays from 438.
	for _, members := range []int{25, 50, 51, 350, 437, 438, 2500, costPlayers} {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", 1000+members)
		groups[members] = id
		memberships += members // a table that was never analysed is read whole
		e.group(id, `select 1 + i * ($2 / $1) from generate_series(0, $1::int - 1) i`, members,
			costPlayers)
	}
	for date := range 10 { // two large days with others between
		plays := 50
		if date%5 == 4 {
			plays = largeDayPlays
		}
		e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
			select gen_random_uuid(), $1, $2, 1 + i * 79 % $3::int, $4::timestamptz + i * interval '10 s', '\x02'
			  from generate_series(1, $5::int) i`, testOrg, testFork, costPlayers,
			testFrom.Add(time.Duration(date)*snapshot.Day), plays)
	}
	within := func(state string, p Period) {
		t.Helper()
		costs := map[int]reportCost{}
		for members, id := range groups {
			costs[members] = e.costOf(t, query(p.From, p.Days, id))
		}
		for members, cost := range costs {
			of := fmt.Sprintf("%s, %d days, %d members", state, p.Days, members)
			assert.LessOrEqual(t, cost.statistics, costs[0].statistics+4*memberships,
				"statistics: %s", of)
			assert.LessOrEqual(t, cost.export, costs[0].export+4*memberships, "export: %s", of)
		}
	}
	large := Period{From: testFrom.Add(4 * snapshot.Day), Days: 1}
	all := Period{From: testFrom, Days: 10}
	within("not analysed", large)
	within("not analysed", all)
	e.Exec(`vacuum analyze`)
	within("unsealed", large)
	within("unsealed", all)
	e.seal(t)
	require.Equal(t, 8, e.count(`select count(*) from fork_days where head_bytes > 0`),
		"the days that are not large")
	within("sealed", large)
	within("sealed", all)
	e.play(testFork, 1, testFrom.Add(2*snapshot.Day))
	within("dirty", all)
}

// reportCost is the cost of reading the plays and players of a report.
type reportCost struct{ statistics, export int }

func (e *env) costOf(t *testing.T, q Query) (cost reportCost) {
	t.Helper()
	for _, withSealed := range []bool{true, false} {
		s, err := snapshot.Open(t.Context(), e.DB, q, withSealed)
		require.NoError(t, err)
		defer s.Close()
		batch := &pgx.Batch{}
		var group *string
		if q.GroupID != "" {
			group = &q.GroupID
		}
		batch.Queue(snapshot.MetadataSQL, testOrg, group, testFork, q.Period.From, q.Period.End(),
			LargeReport)
		if withSealed {
			r := newStatisticsReader(s)
			r.queue(batch, newAccumulator(q.Period))
			r.labels.queue(batch)
			cost.statistics = batchCost(t, s, batch)
			continue
		}
		r := newExportReader(s)
		r.members.Queue(batch)
		r.players.queuePlayers(batch, playerSQL)
		sql, args := r.sql(q.Period.From, false)
		batch.Queue(sql+exportOrder, args...)
		cost.export = batchCost(t, s, batch)
	}
	return cost
}

// batchCost explains the statements of a batch that are not on segments.
func batchCost(t *testing.T, s *snapshot.Snapshot, batch *pgx.Batch) (cost int) {
	t.Helper()
	for _, queued := range batch.QueuedQueries {
		if !strings.Contains(queued.SQL, "select") || strings.Contains(queued.SQL, "from fork_") {
			continue
		}
		var text []byte
		explain := "explain (analyze, buffers, format json) " + queued.SQL
		err := s.Conn.QueryRow(t.Context(), explain, queued.Arguments...).Scan(&text)
		require.NoError(t, err, queued.SQL)
		plan := planOf(t, text)
		cost += plan.pages() + plan.rows(t)
	}
	return cost
}

// planNode is a node of a plan of EXPLAIN.
type planNode struct {
	Hit     int     `json:"Shared Hit Blocks"`
	Read    int     `json:"Shared Read Blocks"`
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Removed float64 `json:"Rows Removed by Filter"`
	Filter  string
	Plans   []planNode
}

func planOf(t *testing.T, explained []byte) planNode {
	t.Helper()
	var plans []struct{ Plan planNode }
	require.NoError(t, json.Unmarshal(explained, &plans))
	return plans[0].Plan
}

func (n planNode) pages() int { return n.Hit + n.Read }

// rows counts the rows that are read. No filter may compare each with the rows of a subplan.
func (n planNode) rows(t *testing.T) (count int) {
	require.NotRegexp(t, `ANY \(|\(SubPlan`, n.Filter)
	if len(n.Plans) == 0 {
		return int((n.Rows + n.Removed) * n.Loops)
	}
	for _, child := range n.Plans {
		count += child.rows(t)
	}
	return count
}
