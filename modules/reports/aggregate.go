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
	for _, month := range s.meta.sealed.months {
		a.ExpectMonth(month)
	}
	var heads []time.Time
	s.eachSealedDay(func(date time.Time, sums *segment.Sums) {
		if !a.AddDay(date, sums) {
			heads = append(heads, date)
		}
	})
	s.queueMonths(batch, s.meta.sealed.months, &a.Players)
	s.queueHeads(batch, heads, a.AddPlayer)
	from, to := s.meta.sealed.gaps(s.query.Period)
	s.queuePlays(batch, from, to, a.Add)
}

// eachSealedDay calls f for the sums of each sealed day; those with damaged sums are sealed no more.
func (s *snapshot) eachSealedDay(f func(time.Time, *segment.Sums)) {
	s.meta.sealed.days = slices.DeleteFunc(s.meta.sealed.days, func(d sealedDay) bool {
		sums, err := segment.UnpackSums(d.date.UnixMilli(), d.sums)
		if err != nil {
			s.damagedDay(d.date)
			return true
		}
		f(d.date, &sums)
		return false
	})
}

// queueGroup asks for what the report on a large group sums: the members' plays of the sealed months, of the other sealed days,
// and of all others.
func (s *snapshot) queueGroup(batch *pgx.Batch, a *segment.Accumulator) {
	s.queueMembers(batch)
	for _, month := range s.meta.sealed.months {
		a.ExpectMonth(month)
	}
	var days []time.Time
	for _, d := range s.meta.sealed.days {
		if !a.Expects(d.date) {
			days = append(days, d.date)
		}
	}
	s.queueMembersOfMonths(batch, s.meta.sealed.months, s.isMember, a)
	s.queueDays(batch, days, s.isMember, a.Add)
	from, to := s.meta.sealed.withMonths().gaps(s.query.Period)
	s.queuePlays(batch, from, to, a.Add)
}

// withMonths adds the days of the sealed months.
func (s sealed) withMonths() sealed {
	days := slices.Clone(s.days)
	for _, first := range s.months {
		for date := first; date.Before(first.AddDate(0, 1, 0)); date = date.Add(day) {
			days = append(days, sealedDay{date: date})
		}
	}
	slices.SortFunc(days, func(a, b sealedDay) int { return a.date.Compare(b.date) })
	return sealed{days: days}
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
