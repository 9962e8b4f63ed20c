package main

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// memory is all plays of a fork in memory, a column each: what statistics cost when nothing has to
// be read.
type memory struct {
	labels  []string // by ordinal
	ranks   []int32  // by ordinal: the label's place among all
	started []int64  // milliseconds since 1970, ascending
	player  []int32
	score   []int16 // -1: not completed
	passed  []bool
	answers []byte
	ends    []int // of each play's answers; the first is 0
}

// readMemory reads the plays of a query.
func (b *bench) readMemory(ctx context.Context, q query) (*memory, error) {
	m := &memory{ends: []int{0}}
	where, args := q.where()
	var at time.Time
	var player int32
	var score *int16
	var passed *bool
	var answers []byte
	err := b.forEach(ctx,
		`/* bench.plays */ select started_at, player, score, passed, answers`+where+
			` order by started_at, id`, args,
		[]any{&at, &player, &score, &passed, &answers}, func() {
			m.started = append(m.started, at.UnixMilli())
			m.player = append(m.player, player)
			m.answers = append(m.answers, answers...)
			m.ends = append(m.ends, len(m.answers))
			if score == nil {
				m.score = append(m.score, -1)
				m.passed = append(m.passed, false)
			} else {
				m.score = append(m.score, *score)
				m.passed = append(m.passed, *passed)
			}
		})
	if err != nil {
		return nil, err
	}
	m.labels = []string{""} // ordinals begin at 1
	var label string
	err = b.forEach(ctx,
		`/* bench.labels */ select label from players where org_id = $1 order by ordinal`,
		[]any{q.organisation()},
		[]any{&label}, func() { m.labels = append(m.labels, label) })
	order := make([]int32, len(m.labels))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(m.labels[a], m.labels[b]) })
	m.ranks = make([]int32, len(order))
	for rank, ordinal := range order {
		m.ranks[ordinal] = int32(rank)
	}
	return m, err
}

func (b *bench) forEach(ctx context.Context, sql string, args, into []any, row func()) error {
	rows, err := b.reads.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, into, func() error {
		row()
		return nil
	})
	return err
}

// aggregate computes the figures of a period.
func (m *memory) aggregate(q query) *sums {
	out := &sums{from: q.from, days: make([]daySum, q.days)}
	begin := q.from.UnixMilli()
	first, _ := slices.BinarySearch(m.started, begin)
	last, _ := slices.BinarySearch(m.started, q.end().UnixMilli())
	players := make([]playerSum, len(m.labels))
	for i := first; i < last; i++ {
		d := &out.days[(m.started[i]-begin)/dayMillis]
		p := &players[m.player[i]]
		d.plays++
		p.plays++
		p.last = m.started[i] // ascending
		if s := m.score[i]; s >= 0 {
			d.completed++
			d.score += int64(s)
			p.best = max(p.best, s)
		}
		if m.passed[i] {
			out.passed++
			p.passed = true
		}
	}
	var answers [256]int64
	for _, a := range m.answers[m.ends[first]:m.ends[last]] {
		answers[a]++
	}
	for a, n := range answers {
		if n > 0 {
			out.addAnswers(byte(a), n)
		}
	}
	out.players = m.inOrder(players)
	return out
}

// inOrder labels the players with a play and puts them in the order in which they are shown. Plays,
// best score as shown and the label's rank fit one number, which sorts quickest: 24 bits, 10 and
// 30.
func (m *memory) inOrder(players []playerSum) []playerSum {
	keys := make([]uint64, 0, len(players))
	byRank := make([]int32, len(players))
	for ordinal, p := range players {
		byRank[m.ranks[ordinal]] = int32(ordinal)
		if p.plays > 0 {
			keys = append(keys,
				uint64(1<<24-1-p.plays)<<40|uint64(1000-(int64(p.best)+5)/10)<<30|
					uint64(m.ranks[ordinal]))
		}
	}
	slices.Sort(keys)
	shown := make([]playerSum, len(keys))
	for i, k := range keys {
		ordinal := byRank[k&(1<<30-1)]
		shown[i] = players[ordinal]
		shown[i].label = m.labels[ordinal]
	}
	return shown
}
