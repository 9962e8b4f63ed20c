package reports

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"
)

// playerSum is what is known of one player.
type playerSum struct {
	plays  int32
	best   int16
	passed bool
	last   int64 // milliseconds since 1970
}

// add joins the sums of one player. A play that was not completed has the score 0.
func (s *playerSum) add(o playerSum) {
	s.plays += o.plays
	s.best = max(s.best, o.best)
	s.passed = s.passed || o.passed
	s.last = max(s.last, o.last)
}

// playerSums holds a sum for each ordinal, in pages that are made when they are first used: ordinals are small and
// dense, so finding one is two steps and no hashing.
type playerSums struct{ pages []*[playersPerPage]playerSum }

const playersPerPage = 1024

func (s *playerSums) of(ordinal int32) *playerSum {
	n := int(ordinal / playersPerPage)
	if n >= len(s.pages) {
		s.pages = append(s.pages, make([]*[playersPerPage]playerSum, n+1-len(s.pages))...)
	}
	if s.pages[n] == nil {
		s.pages[n] = new([playersPerPage]playerSum)
	}
	return &s.pages[n][ordinal%playersPerPage]
}

// each calls f for every player with a play, by ordinal.
func (s *playerSums) each(f func(ordinal int32, sum playerSum)) {
	for n, page := range s.pages {
		if page == nil {
			continue
		}
		for i, sum := range page {
			if sum.plays > 0 {
				f(int32(n*playersPerPage+i), sum)
			}
		}
	}
}

// ordinals returns the players with a play.
func (s *playerSums) ordinals() []int32 {
	var out []int32
	s.each(func(ordinal int32, _ playerSum) { out = append(out, ordinal) })
	return out
}

// count returns how many players have a play.
func (s *playerSums) count() int {
	n := 0
	s.each(func(int32, playerSum) { n++ })
	return n
}

// rankedPlayer is a player on the way into order: rank holds plays and shown best score, both descending, label eight
// bytes of the label from the first on in which any two labels differ.
type rankedPlayer struct {
	rank, label uint64
	ordinal     int32
}

// ranked returns the players in the order of decisions, "Figures". Nearly all of them are told apart by sixteen bytes, which
// are sorted byte by byte without a comparison; players are compared as they are shown only where these are equal.
func (s *playerSums) ranked(label func(int32) string) []PlayerStat {
	players := make([]rankedPlayer, 0, s.count())
	common, first := "", true
	s.each(func(ordinal int32, p playerSum) {
		rank := uint64(math.MaxUint32-uint32(p.plays))<<32 | uint64(math.MaxUint32-uint32(shownScore(p.best)))
		players = append(players, rankedPlayer{rank: rank, ordinal: ordinal})
		if l := label(ordinal); first {
			common, first = l, false
		} else if !strings.HasPrefix(l, common) {
			common = commonPrefix(common, l)
		}
	})
	for i := range players {
		var b [8]byte
		copy(b[:], label(players[i].ordinal)[len(common):])
		players[i].label = binary.BigEndian.Uint64(b[:])
	}
	players = sortPlayers(players)
	rows := make([]PlayerStat, len(players))
	for i, r := range players {
		p := s.of(r.ordinal)
		rows[i] = PlayerStat{
			Label: label(r.ordinal), Plays: int64(p.plays), BestScore: shownScore(p.best),
			LastPlayedAt: time.UnixMilli(p.last).UTC(), Passed: p.passed,
		}
	}
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && players[end].rank == players[i].rank && players[end].label == players[i].label {
			end++
		}
		if end > i+1 {
			slices.SortFunc(rows[i:end], byWhatTheReaderSees)
		}
		i = end
	}
	return rows
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// sortPlayers sorts by rank and label, from the last byte to the first (a radix sort); a byte that is the same in all is
// passed over. It returns the players, or as much memory with the players in it.
func sortPlayers(players []rankedPlayer) []rankedPlayer {
	var counts [16][256]int32
	for _, p := range players {
		for k := range 8 {
			counts[k][byte(p.label>>(8*k))]++
			counts[8+k][byte(p.rank>>(8*k))]++
		}
	}
	spare := make([]rankedPlayer, len(players))
	for k := range counts {
		at, next := &counts[k], int32(0)
		if slices.Contains(at[:], int32(len(players))) {
			continue
		}
		for b, n := range at {
			at[b], next = next, next+n
		}
		for _, p := range players {
			b := byte(p.label >> (8 * (k & 7)))
			if k >= 8 {
				b = byte(p.rank >> (8 * (k & 7)))
			}
			spare[at[b]] = p
			at[b]++
		}
		players, spare = spare, players
	}
	return players
}

// byWhatTheReaderSees orders players of as many plays and the same shown best score by label and last play (decisions,
// "Figures"), and then by passed, the one thing left to see: the order tells nothing that the rows do not.
func byWhatTheReaderSees(a, b PlayerStat) int {
	return cmp.Or(
		strings.Compare(a.Label, b.Label),
		b.LastPlayedAt.Compare(a.LastPlayedAt),
		cmp.Compare(bit(b.Passed), bit(a.Passed)),
	)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
