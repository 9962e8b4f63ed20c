package main

import (
	"cmp"
	"slices"
	"time"
)

// monthSums are what the plays of a fork come to when they are summed beforehand: a row for each day, and one for each
// player and month. Folding these is the least that an answer can cost.
type monthSums struct {
	fork   *fork
	from   time.Time
	days   []daySum
	passed []int64 // by day
	skills [][]skillSum
	months [][]playerMonth
}

type playerMonth struct {
	player int32
	plays  int32
	best   int16
	passed bool
	last   int64
}

// sums prepares the sums of a period.
func (f *fork) sums(q query) *monthSums {
	m := &monthSums{fork: f, from: q.from}
	byLabel := make(map[string]int32, len(f.labels))
	for ordinal, label := range f.labels {
		byLabel[label] = int32(ordinal)
	}
	for at := q.from; at.Before(q.end()); {
		month := query{set: q.set, from: at, days: min(30, int(q.end().Sub(at)/(24*time.Hour)))}
		at = month.end()
		var rows []playerMonth
		for _, p := range f.fold(month).players {
			rows = append(rows, playerMonth{byLabel[p.label], int32(p.plays), p.best, p.passed, p.last})
		}
		slices.SortFunc(rows, func(a, b playerMonth) int { return cmp.Compare(a.player, b.player) })
		m.months = append(m.months, rows)
	}
	for i := range q.days {
		day := f.fold(query{set: q.set, from: q.from.AddDate(0, 0, i), days: 1})
		m.days, m.passed = append(m.days, day.days[0]), append(m.passed, day.passed)
		m.skills = append(m.skills, slices.Clone(day.skills[:]))
	}
	return m
}

// fold computes the figures of the period that the sums are of.
func (m *monthSums) fold() *figures {
	out := &figures{from: m.from, days: slices.Clone(m.days)}
	for i, n := range m.passed {
		out.passed += n
		for k, s := range m.skills[i] {
			out.skills[k].attempts += s.attempts
			out.skills[k].correct += s.correct
		}
	}
	players := make([]playerSum, len(m.fork.labels))
	for _, month := range m.months {
		for _, r := range month {
			p := &players[r.player]
			p.plays += int64(r.plays)
			p.best, p.last = max(p.best, r.best), max(p.last, r.last)
			p.passed = p.passed || r.passed
		}
	}
	out.players = m.fork.inOrder(players)
	return out
}
