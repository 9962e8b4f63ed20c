package segment

import "time"

// Accumulator sums the plays of consecutive days. Call ExpectMonth first; plays, summed days and
// summed months may follow in any order.
type Accumulator struct {
	Total   Sums
	Days    []DaySums
	Players Players

	from int64 // milliseconds since 1970
	// inMonth marks the days of expected months: their players are added with the month.
	inMonth []bool
}

const day = 24 * time.Hour

// NewAccumulator returns an accumulator for the given number of days, which begin at from.
func NewAccumulator(from time.Time, days int) *Accumulator {
	return &Accumulator{
		from:    from.UnixMilli(),
		Days:    make([]DaySums, days),
		inMonth: make([]bool, days),
	}
}

func (a *Accumulator) index(ms int64) int { return int((ms - a.from) / day.Milliseconds()) }

// Add counts a play for its day, in the total and, outside of expected months, for its player. The
// play must have started on one of the days.
func (a *Accumulator) Add(p *Play) {
	i := a.index(p.StartedAt)
	a.Days[i].add(p)
	a.Total.add(p)
	if !a.inMonth[i] {
		a.AddToPlayer(p)
	}
}

// AddToPlayer counts a play for its player alone: AddDay adds the sums of the day.
func (a *Accumulator) AddToPlayer(p *Play) { a.Players.AddPlay(p) }

// AddDay sets the sums of a day and adds them to the total. It adds no players: see AddToPlayer.
func (a *Accumulator) AddDay(date time.Time, s *Sums) {
	a.Days[a.index(date.UnixMilli())] = s.DaySums
	a.Total.Add(s)
}

// InExpectedMonth reports whether the day's players are added with their month.
func (a *Accumulator) InExpectedMonth(date time.Time) bool {
	return a.inMonth[a.index(date.UnixMilli())]
}

// ExpectMonth announces a month whose players UnpackMonth or UnpackMembers adds, so that Add does
// not count them twice. The accumulator must have all days of the month.
func (a *Accumulator) ExpectMonth(first time.Time) {
	for date := first; date.Before(first.AddDate(0, 1, 0)); date = date.Add(day) {
		a.inMonth[a.index(date.UnixMilli())] = true
	}
}
