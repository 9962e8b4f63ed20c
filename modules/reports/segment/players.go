package segment

// PlayerSum sums the plays of one player.
type PlayerSum struct {
	Plays        int32
	BestScore    int16 // hundredths of a percent; 0 where no play was completed
	Completed    bool  // whether any play was completed
	Passed       bool
	LastPlayedAt int64 // start of the latest play, in milliseconds since 1970
}

// add takes a pointer: copying fields that were just written would stall (store forwarding).
func (s *PlayerSum) add(o *PlayerSum) {
	s.Plays += o.Plays
	s.BestScore = max(s.BestScore, o.BestScore)
	s.Completed = s.Completed || o.Completed
	s.Passed = s.Passed || o.Passed
	s.LastPlayedAt = max(s.LastPlayedAt, o.LastPlayedAt)
}

// Players holds the sum of each player by ordinal. Ordinals are small and dense, so the sums are in
// pages that are allocated on first use. The zero Players is empty.
type Players struct{ pages []*[perPage]PlayerSum }

const perPage = 128

func (s *Players) sumOf(ordinal int32) *PlayerSum {
	n := int(ordinal / perPage)
	if n >= len(s.pages) {
		s.pages = append(s.pages, make([]*[perPage]PlayerSum, n+1-len(s.pages))...)
	}
	if s.pages[n] == nil {
		s.pages[n] = new([perPage]PlayerSum)
	}
	return &s.pages[n][ordinal%perPage]
}

// AddPlay adds one play.
func (s *Players) AddPlay(p *Play) {
	s.sumOf(p.Player).add(&PlayerSum{
		Plays:        1,
		BestScore:    p.Score,
		Completed:    p.Completed,
		Passed:       p.Passed,
		LastPlayedAt: p.StartedAt,
	})
}

// Add adds a sum of further plays to the sum of the player.
func (s *Players) Add(ordinal int32, sum PlayerSum) { s.sumOf(ordinal).add(&sum) }

// Get returns the sum of a player, zero for a player without a play.
func (s *Players) Get(ordinal int32) PlayerSum {
	if n := int(ordinal / perPage); n < len(s.pages) && s.pages[n] != nil {
		return s.pages[n][ordinal%perPage]
	}
	return PlayerSum{}
}

// Each calls f for every player with a play, in ascending order of ordinals.
func (s *Players) Each(f func(ordinal int32, sum PlayerSum)) {
	for n, page := range s.pages {
		if page == nil {
			continue
		}
		for i, sum := range page {
			if sum.Plays > 0 {
				f(int32(n*perPage+i), sum)
			}
		}
	}
}

// Ordinals returns the ordinals of the players with a play, ascending.
func (s *Players) Ordinals() []int32 {
	out := make([]int32, 0, s.Count())
	s.Each(func(ordinal int32, _ PlayerSum) { out = append(out, ordinal) })
	return out
}

// Count returns the number of players with a play.
func (s *Players) Count() int {
	n := 0
	s.Each(func(int32, PlayerSum) { n++ })
	return n
}
