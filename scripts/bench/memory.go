package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"dg/modules/games"
)

// fork is all plays of a fork in memory, a column each: what statistics cost when nothing has to be read.
type fork struct {
	labels  []string // by ordinal
	ranks   []int32  // by ordinal: the label's place among all
	byRank  []int32  // ordinals
	started []int64  // milliseconds since 1970, ascending
	player  []int32
	score   []int16 // -1: not completed
	passed  []bool
	answers []byte
	ends    []uint32 // of each play's answers
}

// readPlays is a query that reads every column that the figures need, raw.
const readPlays = `/* bench.plays */ select started_at, player, score, passed, answers`

// read reads the fork.
func (b *bench) read(ctx context.Context, set *dataset) (*fork, error) {
	f := &fork{}
	all := query{set: set, from: b.set.Now.AddDate(-10, 0, 0), days: 5000}
	where, args := all.where()
	err := b.rawRows(ctx, readPlays+where+` order by started_at, id`, args, func(v [][]byte) {
		f.started = append(f.started, int64(binary.BigEndian.Uint64(v[0]))/1000+epoch2000)
		f.player = append(f.player, int32(binary.BigEndian.Uint32(v[1])))
		score := int16(-1)
		if v[2] != nil {
			score = int16(binary.BigEndian.Uint16(v[2]))
		}
		f.score = append(f.score, score)
		f.passed = append(f.passed, v[3] != nil && v[3][0] == 1)
		f.answers = append(f.answers, v[4]...)
		f.ends = append(f.ends, uint32(len(f.answers)))
	})
	if err != nil {
		return nil, err
	}
	rows, err := b.reads.Query(ctx, `/* bench.labels */ select label from players where org_id = $1 order by ordinal`, all.organisation())
	if err != nil {
		return nil, err
	}
	labels, err := collect[string](rows)
	f.labels = append([]string{""}, labels...)
	f.rank()
	return f, err
}

// epoch2000 is PostgreSQL's epoch in milliseconds since 1970.
const epoch2000 = 946_684_800_000

// rawRows hands on the rows as they come over the wire.
func (b *bench) rawRows(ctx context.Context, sql string, args []any, row func([][]byte)) error {
	args = append([]any{args[0], pgx.QueryResultFormats{pgx.BinaryFormatCode}}, args[1:]...)
	rows, err := b.reads.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row(rows.RawValues())
	}
	return rows.Err()
}

// fold computes the figures of a period from the plays.
func (f *fork) fold(q query) *figures {
	out := &figures{from: q.from, days: make([]daySum, q.days)}
	begin := q.from.UnixMilli()
	first, _ := slices.BinarySearch(f.started, begin)
	last, _ := slices.BinarySearch(f.started, q.end().UnixMilli())
	players := make([]playerSum, len(f.labels))
	var answers [256]int64
	for i := first; i < last; i++ {
		d, p := &out.days[(f.started[i]-begin)/dayMillis], &players[f.player[i]]
		d.plays++
		p.plays++
		p.last = f.started[i] // ascending
		if s := f.score[i]; s >= 0 {
			d.completed++
			d.score += int64(s)
			p.best = max(p.best, s)
		}
		if f.passed[i] {
			out.passed++
			p.passed = true
		}
	}
	if first < last {
		for _, a := range f.answers[f.begin(first):f.ends[last-1]] {
			answers[a]++
		}
	}
	for a, n := range answers {
		s := &out.skills[games.Answer(a).Skill()]
		s.attempts += n
		if games.Answer(a).Correct() {
			s.correct += n
		}
	}
	out.players = f.inOrder(players)
	return out
}

func (f *fork) begin(i int) uint32 {
	if i == 0 {
		return 0
	}
	return f.ends[i-1]
}

// rankBits hold a label's place among all labels; above them stand the best score and the plays, turned round.
const rankBits = 30

// inOrder labels the players with a play and puts them in the order in which they are shown. All that decides fits a
// number, which sorts quicker than anything: labels are in order beforehand.
func (f *fork) inOrder(players []playerSum) []playerSum {
	keys := make([]uint64, 0, len(players))
	for ordinal, p := range players {
		if p.plays > 0 {
			keys = append(keys, uint64(1<<24-1-p.plays)<<40|uint64(1000-shownBest(p.best))<<rankBits|uint64(f.ranks[ordinal]))
		}
	}
	slices.Sort(keys)
	shown := make([]playerSum, len(keys))
	for i, k := range keys {
		ordinal := f.byRank[k&(1<<rankBits-1)]
		shown[i] = players[ordinal]
		shown[i].label = f.labels[ordinal]
	}
	return shown
}

// rank puts the labels in order.
func (f *fork) rank() {
	f.byRank, f.ranks = make([]int32, len(f.labels)), make([]int32, len(f.labels))
	for ordinal := range f.labels {
		f.byRank[ordinal] = int32(ordinal)
	}
	slices.SortFunc(f.byRank, func(a, b int32) int { return strings.Compare(f.labels[a], f.labels[b]) })
	for rank, ordinal := range f.byRank {
		f.ranks[ordinal] = int32(rank)
	}
}

// checkFold proves that the limit does the same work: its text is the answer's.
func checkFold(name string, f *figures, body []byte) error {
	if err := sameText(f.appendJSON(nil), body); err != nil {
		return fmt.Errorf("the limit %q computes something else: %w", name, err)
	}
	return nil
}
