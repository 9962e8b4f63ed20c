package reports

import (
	"cmp"
	"slices"
	"time"

	"dg/modules/reports/segment"
)

// ranking orders the players of a report: by plays and best score descending, then by label.
type ranking struct {
	players *segment.Players
	labels  *labels
	order   []rankEntry
}

// rankEntry is a player with a sort key: plays, then the best score as rounded for display, so that
// hidden digits do not decide. label is the first index of the player's label in labels, or -1.
type rankEntry struct {
	key            uint64
	ordinal, label int32
}

const scoreBits = 11 // bits of a sort key that hold the score

func newRanking(players *segment.Players, l *labels) *ranking {
	r := &ranking{players: players, labels: l, order: make([]rankEntry, 0, len(l.ordinals))}
	label := int32(0)
	for i, ordinal := range l.ordinals {
		if ordinal < 0 {
			ordinal = ^ordinal
		} else {
			label = int32(i)
		}
		r.add(ordinal, label)
	}
	if len(r.order) < players.Count() {
		r.addUnlabelled()
	}
	r.order = sortDescending(r.order)
	r.sortTied()
	return r
}

func (r *ranking) add(ordinal, label int32) {
	if p := r.players.Get(ordinal); p.Plays > 0 {
		key := uint64(p.Plays)<<scoreBits | uint64(roundScore(p.BestScore))
		r.order = append(r.order, rankEntry{key, ordinal, label})
	}
}

// addUnlabelled puts players without a label first. A host program's view of players may omit some.
func (r *ranking) addUnlabelled() {
	labelled := r.order
	isLabelled := map[int32]bool{}
	for _, e := range labelled {
		isLabelled[e.ordinal] = true
	}
	r.order = nil
	for _, ordinal := range r.players.Ordinals() {
		if !isLabelled[ordinal] {
			r.add(ordinal, -1)
		}
	}
	r.order = append(r.order, labelled...)
}

// sortDescending is a radix sort by key. It keeps the order of entries with equal keys.
func sortDescending(entries []rankEntry) []rankEntry {
	const digitValues = 1 << 11
	var usedBits uint64
	for _, e := range entries {
		usedBits |= e.key
	}
	sorted := make([]rankEntry, len(entries))
	for shift := 0; usedBits>>shift > 0; shift += 11 {
		var next [digitValues]int // position of the next entry with the digit
		for _, e := range entries {
			next[^(e.key>>shift)%digitValues]++
		}
		position := 0
		for i, n := range next {
			next[i] = position
			position += n
		}
		for _, e := range entries {
			i := &next[^(e.key>>shift)%digitValues]
			sorted[*i] = e
			*i++
		}
		entries, sorted = sorted, entries
	}
	return entries
}

// sortTied orders players with equal keys and labels by columns of the report only, so that the
// order does not reveal other data.
func (r *ranking) sortTied() {
	for rest := r.order; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].key == rest[0].key && rest[n].label == rest[0].label {
			n++
		}
		if n > 1 {
			slices.SortFunc(rest[:n], func(a, b rankEntry) int {
				return compareTied(r.players.Get(a.ordinal), r.players.Get(b.ordinal))
			})
		}
		rest = rest[n:]
	}
}

func compareTied(a, b segment.PlayerSum) int {
	return cmp.Or(
		cmp.Compare(b.LastPlayedAt, a.LastPlayedAt),
		cmp.Compare(boolToBit(b.Passed), boolToBit(a.Passed)),
		cmp.Compare(boolToBit(b.Completed), boolToBit(a.Completed)),
	)
}

func boolToBit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *ranking) row(i int) PlayerStat {
	e := r.order[i]
	p := r.players.Get(e.ordinal)
	return PlayerStat{
		Label:        r.labels.label(e.label),
		Plays:        int64(p.Plays),
		BestScore:    roundScore(p.BestScore),
		Completed:    p.Completed,
		LastPlayedAt: time.UnixMilli(p.LastPlayedAt).UTC(),
		Passed:       p.Passed,
	}
}
