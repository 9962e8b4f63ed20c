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

// ranking orders the players of a report: by plays and best score descending, then by label.
type ranking struct {
	players *segment.Players
	labels  labels
	order   []rankEntry
}

// rankEntry is a player with two sort keys, which decide nearly all comparisons without a look-up.
type rankEntry struct {
	playsKey, labelKey uint64
	ordinal            int32
}

// rank orders the players. Every player must have a label in l.
func rank(players *segment.Players, l labels) *ranking {
	r := &ranking{players, l, make([]rankEntry, 0, players.Count())}
	players.Each(func(ordinal int32, p segment.PlayerSum) {
		r.order = append(r.order, rankEntry{playsKey(p), labelKey(l[ordinal]), ordinal})
	})
	slices.SortFunc(r.order, r.compare)
	return r
}

// playsKey sorts more plays first, then the better score as shown: hidden digits do not decide.
func playsKey(p segment.PlayerSum) uint64 {
	return uint64(math.MaxInt32-p.Plays)<<16 | uint64(math.MaxInt16-roundScore(p.BestScore))
}

// labelKey is big-endian, so that integers compare as the label's first eight bytes do.
func labelKey(label string) uint64 {
	var b [8]byte
	copy(b[:], label)
	return binary.BigEndian.Uint64(b[:])
}

func (r *ranking) compare(a, b rankEntry) int {
	if a.playsKey != b.playsKey {
		return cmp.Compare(a.playsKey, b.playsKey)
	}
	if a.labelKey != b.labelKey {
		return cmp.Compare(a.labelKey, b.labelKey)
	}
	return cmp.Or(strings.Compare(r.labels[a.ordinal], r.labels[b.ordinal]),
		compareTied(r.players.Get(a.ordinal), r.players.Get(b.ordinal)))
}

// compareTied compares columns of the report only, so that the order reveals nothing else.
func compareTied(a, b segment.PlayerSum) int {
	return cmp.Or(
		cmp.Compare(b.LastPlayedAt, a.LastPlayedAt),
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

func (r *ranking) row(i int) PlayerStat {
	ordinal := r.order[i].ordinal
	p := r.players.Get(ordinal)
	return PlayerStat{
		Label:        r.labels[ordinal],
		Plays:        int64(p.Plays),
		BestScore:    roundScore(p.BestScore),
		Completed:    p.Completed,
		LastPlayedAt: time.UnixMilli(p.LastPlayedAt).UTC(),
		Passed:       p.Passed,
	}
}
