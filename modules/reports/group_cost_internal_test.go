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

// doc.go, Invariants: a group never costs more than everybody, whatever is sealed and whatever the
// planner knows. The cost is counted: pages, rows, and what a filter compares each row with.
func TestGroupNeverCostsMoreThanEverybody(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.sealer.MaxDayPlays = largeDayPlays / 2
	groups := map[int]string{0: ""}
	memberships := 0
	e.exec(t, `insert into players (id, org_id, ordinal, label, display_name)
		select gen_random_uuid(), $1, i, 'P-' || i, 'Player ' || i from generate_series(41, $2::int) i`,
		testOrg, costPlayers)
	e.exec(t, `update player_ordinals set last = $1`, costPlayers)
	// A group is large in segments from 51 members on, in plays from 438.
	for _, members := range []int{25, 50, 51, 350, 437, 438, 2500, costPlayers} {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", 1000+members)
		groups[members] = id
		memberships += members // a table that was never analysed is read whole
		e.exec(t, `insert into player_groups (id, org_id, name) values ($1::uuid, $2, $1::text)`,
			id,
			testOrg)
		e.exec(t,
			`insert into group_members select $2, $1, 1 + i * ($4 / $3) from generate_series(0, $3 - 1) i`,
			id, testOrg, members, costPlayers)
	}
	for date := range 10 { // two large days with others between
		plays := 50
		if date%5 == 4 {
			plays = largeDayPlays
		}
		e.exec(t, `insert into plays (id, org_id, fork_id, player, started_at, answers)
			select gen_random_uuid(), $1, $2, 1 + i * 79 % $3::int, $4::timestamptz + i * interval '10 s', '\x02'
			  from generate_series(1, $5::int) i`, testOrg, testFork, costPlayers,
			testFrom.Add(time.Duration(date)*snapshot.Day), plays)
	}
	within := func(state string, p Period) {
		t.Helper()
		costs := map[int]reportCost{}
		for members, id := range groups {
			costs[members] = e.costOf(t, Query{
				OrganisationID: testOrg,
				ForkID:         testFork,
				GroupID:        id,
				Period:         p,
			})
		}
		for members, cost := range costs {
			of := fmt.Sprintf("%s, %d days, %d members", state, p.Days, members)
			t.Logf("%s: statistics %d, export %d", of, cost.statistics, cost.export)
			assert.LessOrEqual(t, cost.statistics, costs[0].statistics+4*memberships,
				"statistics: %s", of)
			assert.LessOrEqual(t, cost.export, costs[0].export+4*memberships, "export: %s", of)
		}
	}
	large := Period{From: testFrom.Add(4 * snapshot.Day), Days: 1}
	all := Period{From: testFrom, Days: 10}
	within("not analysed", large)
	within("not analysed", all)
	e.exec(t, `vacuum analyze`)
	within("unsealed", large)
	within("unsealed", all)
	e.seal(t)
	require.Equal(t, 8, e.count(t, `select count(*) from fork_days where head_bytes > 0`),
		"the days that are not large")
	within("sealed", large)
	within("sealed", all)
	e.exec(t, playsSQL, testFork, []time.Time{testFrom.Add(2 * snapshot.Day)})
	within("dirty", all)
}

// reportCost is what reading the plays and the players of a report costs.
type reportCost struct{ statistics, export int }

func (e *env) costOf(t *testing.T, q Query) (cost reportCost) {
	t.Helper()
	for _, withSealed := range []bool{true, false} {
		s, err := snapshot.Open(t.Context(), e.db.DB, q, withSealed)
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
			r := newStatisticsReader(s, nil)
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

// batchCost runs the statements of a batch, all but those on segments.
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
		var plans []struct{ Plan planNode }
		require.NoError(t, json.Unmarshal(text, &plans))
		plan := plans[0].Plan
		cost += plan.Hit + plan.Read + plan.comparisons(plan.subplanRows())
	}
	return cost
}

// planNode is a node of a plan as EXPLAIN writes it.
type planNode struct {
	Hit     int     `json:"Shared Hit Blocks"`
	Read    int     `json:"Shared Read Blocks"`
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Removed float64 `json:"Rows Removed by Filter"`
	Filter  string
	Subplan string `json:"Subplan Name"`
	Plans   []planNode
}

// comparisons counts the rows that are read, and those that a filter compares with the rows of a
// subplan.
func (n planNode) comparisons(subplans int) (count int) {
	rows := int((n.Rows + n.Removed) * n.Loops)
	if len(n.Plans) == 0 {
		count = rows
	}
	if strings.Contains(n.Filter, "ANY (") || strings.Contains(n.Filter, "(SubPlan") {
		count += rows * subplans
	}
	for _, child := range n.Plans {
		count += child.comparisons(subplans)
	}
	return count
}

// subplanRows is the number of rows that subplans return.
func (n planNode) subplanRows() (rows int) {
	for _, child := range n.Plans {
		rows += child.subplanRows()
		if child.Subplan != "" {
			rows += int(child.Rows)
		}
	}
	return rows
}
