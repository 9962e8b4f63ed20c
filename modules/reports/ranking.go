package reports

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"

	"dg/modules/reports/segment"
)

// rankedPlayer is a sort key: rank holds plays and best score as shown, both descending, label the eight bytes of the label
// after what all labels have in common.
type rankedPlayer struct {
	rank, label uint64
	ordinal     int32
}

// ranked returns the players in the order of a report: by plays and best score descending, then by label. The sort keys tell
// nearly all of them apart and are sorted without comparisons; rows are compared only where these are equal.
func ranked(players *segment.Players, label func(int32) string) []PlayerStat {
	keys := sortPlayers(sortKeys(players, label))
	rows := make([]PlayerStat, len(keys))
	for i, r := range keys {
		p := players.Get(r.ordinal)
		rows[i] = PlayerStat{
			Label: label(r.ordinal), Plays: int64(p.Plays), BestScore: shownScore(p.Best), Completed: p.Completed,
			LastPlayedAt: time.UnixMilli(p.Last).UTC(), Passed: p.Passed,
		}
	}
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && keys[end].rank == keys[i].rank && keys[end].label == keys[i].label {
			end++
		}
		if end > i+1 {
			slices.SortFunc(rows[i:end], compareShown)
		}
		i = end
	}
	return rows
}

func sortKeys(players *segment.Players, label func(int32) string) []rankedPlayer {
	keys := make([]rankedPlayer, 0, players.Count())
	common := ""
	players.Each(func(ordinal int32, p segment.PlayerSum) {
		rank := uint64(math.MaxUint32-uint32(p.Plays))<<32 | uint64(math.MaxUint32-uint32(shownScore(p.Best)))
		if l := label(ordinal); len(keys) == 0 {
			common = l
		} else if !strings.HasPrefix(l, common) {
			common = commonPrefix(common, l)
		}
		keys = append(keys, rankedPlayer{rank: rank, ordinal: ordinal})
	})
	for i := range keys {
		var b [8]byte
		copy(b[:], label(keys[i].ordinal)[len(common):])
		keys[i].label = binary.BigEndian.Uint64(b[:])
	}
	return keys
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// sortPlayers sorts by rank and label with a radix sort from the last byte to the first, skipping bytes that are the same in
// all. It returns the players or a sorted copy.
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

// compareShown orders players with the same plays and best score by label, last play, passed and completed: only what the reader sees,
// so that the order gives nothing else away.
func compareShown(a, b PlayerStat) int {
	return cmp.Or(
		strings.Compare(a.Label, b.Label),
		b.LastPlayedAt.Compare(a.LastPlayedAt),
		cmp.Compare(bit(b.Passed), bit(a.Passed)),
		cmp.Compare(bit(b.Completed), bit(a.Completed)),
	)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
