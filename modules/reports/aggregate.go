package reports

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
)

// queueAll asks for what the report on all players sums. It adds the sums of the sealed days at once; the players come from
// the sealed months, those of other days from the heads of sealed days, and everything else from the plays.
func (s *snapshot) queueAll(batch *pgx.Batch, a *segment.Accumulator) {
	for _, month := range s.sealed.months {
		a.ExpectMonth(month)
	}
	var heads []time.Time
	s.sealed.days = slices.DeleteFunc(s.sealed.days, func(d sealedDay) bool {
		sums, err := segment.UnpackSums(d.date.UnixMilli(), d.sums)
		if err != nil {
			s.damagedDay(d.date)
			return true
		}
		if !a.AddDay(d.date, &sums) {
			heads = append(heads, d.date)
		}
		return false
	})
	s.queueMonths(batch, s.sealed.months, &a.Players)
	s.queueHeads(batch, heads, a.AddPlayer)
	from, to := s.sealed.gaps(s.query.Period)
	s.queuePlays(batch, from, to, a.Add)
}

// queueGroup asks for what the report on a large group sums: the members' plays of the sealed days, and of all others.
func (s *snapshot) queueGroup(batch *pgx.Batch, a *segment.Accumulator) {
	var members ordinalSet
	s.queueMembers(batch, &members) // read before the segments
	days := make([]time.Time, len(s.sealed.days))
	for i, d := range s.sealed.days {
		days[i] = d.date
	}
	s.queueDays(batch, days, func(p segment.Play) {
		if members.has(p.Player) {
			a.Add(p)
		}
	})
	from, to := s.sealed.gaps(s.query.Period)
	s.queuePlays(batch, from, to, a.Add)
}

// gaps returns the ranges of the period without a sealed day.
func (s sealed) gaps(p Period) (from, to []time.Time) {
	next := p.From
	for _, d := range s.days {
		if d.date.After(next) {
			from, to = append(from, next), append(to, d.date)
		}
		next = d.date.Add(day)
	}
	if end := p.End(); end.After(next) {
		from, to = append(from, next), append(to, end)
	}
	return from, to
}

// aggregate sums what queue asks for.
func (s *snapshot) aggregate(ctx context.Context, queue func(*pgx.Batch, *segment.Accumulator)) (*segment.Accumulator, error) {
	a, batch := s.newAccumulator(), &pgx.Batch{}
	queue(batch, a)
	return a, s.send(ctx, batch)
}

func (s *snapshot) newAccumulator() *segment.Accumulator {
	return segment.NewAccumulator(s.query.Period.From, s.query.Period.Days)
}

// ordinalSet is a set of players: ordinals are small and dense.
type ordinalSet []bool

func (s *ordinalSet) add(ordinal int32) {
	if n := int(ordinal) + 1; n > len(*s) {
		*s = append(*s, make([]bool, n-len(*s))...)
	}
	(*s)[ordinal] = true
}

func (s ordinalSet) has(ordinal int32) bool { return int(ordinal) < len(s) && s[ordinal] }
