package reports

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// somePlays draws plays of a day, by n players.
func somePlays(n, players int) []play {
	random := rand.New(rand.NewPCG(1, 2))
	plays := make([]play, n)
	for i := range plays {
		plays[i] = play{
			startedAt: random.Int64N(day.Milliseconds()), player: 1 + random.Int32N(int32(players)), completed: true,
			score: int16(random.IntN(10_001)), passed: random.IntN(2) == 0, answers: []byte{1, 2, 3, 4, 5},
		}
	}
	return plays
}

// someSums are players as they are ranked: few numbers of plays and many equal best scores.
func someSums(players int) *playerSums {
	random := rand.New(rand.NewPCG(3, 4))
	var s playerSums
	for i := range players {
		*s.of(int32(i + 1)) = playerSum{
			plays: 1 + random.Int32N(40), best: int16(10_000 - random.IntN(300)), passed: random.IntN(2) == 0, last: random.Int64N(1 << 20),
		}
	}
	return &s
}

// inOrder is the order of decisions, "Figures", said in one comparison.
func inOrder(s *playerSums, label func(int32) string) []PlayerStat {
	var rows []PlayerStat
	s.each(func(ordinal int32, p playerSum) {
		rows = append(rows, PlayerStat{
			Label: label(ordinal), Plays: int64(p.plays), BestScore: shownScore(p.best), LastPlayedAt: time.UnixMilli(p.last).UTC(), Passed: p.passed,
		})
	})
	slices.SortFunc(rows, func(a, b PlayerStat) int {
		return cmp.Or(cmp.Compare(b.Plays, a.Plays), cmp.Compare(b.BestScore, a.BestScore), byWhatTheReaderSees(a, b))
	})
	return rows
}

// Decisions, "Figures": the order of players, whatever their labels have in common.
func TestRankedIsInOrder(t *testing.T) {
	t.Parallel()
	for name, label := range map[string]func(int32) string{
		"pseudonyms":        func(o int32) string { return fmt.Sprintf("P-%06d", o*7919%1_000_003) },
		"a long beginning":  func(o int32) string { return fmt.Sprintf("The same for all of them %09d", o%500) },
		"the same":          func(int32) string { return "Player" },
		"none":              func(int32) string { return "" },
		"one begins others": func(o int32) string { return strings.Repeat("a", int(o%40)) },
		"beyond ASCII":      func(o int32) string { return string([]rune{'é', 0x4e00 + o%97}) + fmt.Sprint(o%11) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{0, 1, 2, 5000} {
				s := someSums(n)
				if n == 5000 {
					s.of(17).plays = 1 << 30 // all four bytes of a number count
				}
				require.Empty(t, differing(inOrder(s, label), s.ranked(label)))
			}
		})
	}
}

// differing returns where two orders differ, for a message of a readable length.
func differing(want, got []PlayerStat) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d players instead of %d", len(got), len(want))
	}
	for i := range want {
		if want[i] != got[i] {
			return fmt.Sprintf("place %d: %v instead of %v", i, got[i], want[i])
		}
	}
	return ""
}

func BenchmarkRanked(b *testing.B) {
	s := someSums(100_000)
	var l labels
	for i := range int32(100_000) {
		l.put(i+1, fmt.Appendf(nil, "P-%06d", i*7919%1_000_003))
	}
	label := l.named()
	require.Empty(b, differing(inOrder(s, label), s.ranked(label)))
	for b.Loop() {
		s.ranked(label)
	}
}

func BenchmarkTallyAdd(b *testing.B) {
	plays, period := somePlays(10_000, 100_000), Period{From: time.UnixMilli(0).UTC(), Days: 1}
	t := newTally(period)
	for _, p := range plays {
		t.add(p)
	}
	require.EqualValues(b, len(plays), t.total.plays)
	for b.Loop() {
		for _, p := range plays {
			t.add(p)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(plays)), "ns/play")
}

func BenchmarkUnpackDay(b *testing.B) {
	plays := somePlays(10_000, 100_000)
	segment := packDay(0, slices.Clone(plays))
	n, sum := 0, 0
	count := func(p play) { n++; sum += int(p.score) + len(p.answers) }
	require.NoError(b, unpackDay(0, segment.head, segment.tail, count))
	for _, p := range plays {
		sum -= int(p.score) + len(p.answers)
	}
	require.Equal(b, []int{len(plays), 0}, []int{n, sum})
	for b.Loop() {
		_ = unpackDay(0, segment.head, segment.tail, count)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(plays)), "ns/play")
}

func BenchmarkUnpackMonth(b *testing.B) {
	s := someSums(100_000)
	packed := packMonth(0, s)
	var into playerSums
	require.NoError(b, unpackMonth(0, packed, &into))
	require.Equal(b, packed, packMonth(0, &into))
	for b.Loop() {
		_ = unpackMonth(0, packed, &into)
	}
}
