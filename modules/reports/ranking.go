package reports

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"dg/modules/reports/segment"
)

// ranking orders the players of a report: by plays and best score descending, then by label. An entry
// has eight bytes: a sort key above the ordinal. Rows are compared only for equal keys.
type ranking struct {
	players *segment.Players
	label   func(int32) string
	order   []uint64
}

// rank returns the players in order.
func rank(players *segment.Players, label func(int32) string) ranking {
	r := ranking{players, label, make([]uint64, 0, players.Count())}
	players.Each(func(ordinal int32, p segment.PlayerSum) {
		r.order = append(r.order, withKey(rankKey(p), ordinal))
	})
	slices.Sort(r.order)
	eachRun(r.order, func(run []uint64) {
		if run[0]>>32 == 0 {
			slices.SortFunc(run, r.compare)
		} else {
			r.sortByLabel(run)
		}
	})
	return r
}

// row returns the i-th player.
func (r *ranking) row(i int) PlayerStat { return r.rowOf(r.order[i]) }

func (r *ranking) rowOf(entry uint64) PlayerStat {
	ordinal := int32(uint32(entry))
	p := r.players.Get(ordinal)
	return PlayerStat{
		Label:        r.label(ordinal),
		Plays:        int64(p.Plays),
		BestScore:    shownScore(p.Best),
		Completed:    p.Completed,
		LastPlayedAt: time.UnixMilli(p.Last).UTC(),
		Passed:       p.Passed,
	}
}

func withKey(key uint32, ordinal int32) uint64 { return uint64(key)<<32 | uint64(uint32(ordinal)) }

// A sort key has 22 bits of plays and 10 of best score, both descending. It is 0 for more plays.
const (
	scoreBits   = 10
	maxPlaysKey = 1<<(32-scoreBits) - 1
)

func rankKey(p segment.PlayerSum) uint32 {
	if p.Plays >= maxPlaysKey {
		return 0
	}
	return (maxPlaysKey-uint32(p.Plays))<<scoreBits |
		(1<<scoreBits - 1 - uint32(shownScore(p.Best)))
}

// eachRun calls f for each run of several entries with the same key.
func eachRun(order []uint64, f func(run []uint64)) {
	for i := 0; i < len(order); {
		end := i + 1
		for end < len(order) && order[end]>>32 == order[i]>>32 {
			end++
		}
		if end > i+1 {
			f(order[i:end])
		}
		i = end
	}
}

// sortByLabel sorts players with the same plays and best score. Their keys are the four bytes of the
// label after the common prefix.
func (r *ranking) sortByLabel(run []uint64) {
	common := r.label(int32(uint32(run[0])))
	for _, e := range run[1:] {
		if l := r.label(int32(uint32(e))); !strings.HasPrefix(l, common) {
			common = commonPrefix(common, l)
		}
	}
	for i, e := range run {
		var b [4]byte
		copy(b[:], r.label(int32(uint32(e)))[len(common):])
		run[i] = withKey(binary.BigEndian.Uint32(b[:]), int32(uint32(e)))
	}
	slices.Sort(run)
	eachRun(run, func(same []uint64) { slices.SortFunc(same, r.compare) })
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// compare orders players as a report does.
func (r *ranking) compare(a, b uint64) int {
	p := r.rowOf(a)
	q := r.rowOf(b)
	return cmp.Or(cmp.Compare(q.Plays, p.Plays), cmp.Compare(q.BestScore, p.BestScore),
		compareShown(p, q))
}

// compareShown orders players with the same plays and best score by label, last play, passed and
// completed. Only shown values decide, so that the order reveals nothing else.
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
