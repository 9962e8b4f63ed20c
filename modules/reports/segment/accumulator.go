package segment

import "time"

// Accumulator sums the plays of consecutive days. It accepts plays, summed days and summed months
// in any order.
type Accumulator struct {
	Total   Sums
	Days    []DaySums
	Players Players

	from int64 // milliseconds since 1970
	// inMonth marks the days of an expected month, with which their players are added.
	inMonth []bool
}

const day = 24 * time.Hour

// NewAccumulator returns an accumulator for the days from the one that begins at from.
func NewAccumulator(from time.Time, days int) *Accumulator {
	return &Accumulator{
		from:    from.UnixMilli(),
		Days:    make([]DaySums, days),
		inMonth: make([]bool, days),
	}
}

func (a *Accumulator) index(ms int64) int { return int((ms - a.from) / day.Milliseconds()) }

// Add counts one play. It must have started on one of the days.
func (a *Accumulator) Add(p *Play) {
	i := a.index(p.StartedAt)
	a.Days[i].add(p)
	a.Total.add(p)
	if !a.inMonth[i] {
		a.AddToPlayer(p)
	}
}

// AddToPlayer counts one play for its player, but neither for its day nor in the total.
func (a *Accumulator) AddToPlayer(p *Play) { a.Players.AddPlay(p) }

// AddDay counts the plays of a day without their players.
func (a *Accumulator) AddDay(date time.Time, s *Sums) {
	a.Days[a.index(date.UnixMilli())] = s.DaySums
	a.Total.Add(s)
}

// InExpectedMonth reports whether UnpackMonth or UnpackMembers adds the players of the day.
func (a *Accumulator) InExpectedMonth(date time.Time) bool {
	return a.inMonth[a.index(date.UnixMilli())]
}

// ExpectMonth announces that UnpackMonth or UnpackMembers adds the players of a month's days, so
// that Add does not count them twice. Call it before Add.
func (a *Accumulator) ExpectMonth(first time.Time) {
	for date := first; date.Before(first.AddDate(0, 1, 0)); date = date.Add(day) {
		a.inMonth[a.index(date.UnixMilli())] = true
	}
}
