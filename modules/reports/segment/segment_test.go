package segment

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// somePlays draws plays of a day, by n players.
func somePlays(n, players int) []Play {
	random := rand.New(rand.NewPCG(1, 2))
	plays := make([]Play, n)
	for i := range plays {
		plays[i] = Play{
			StartedAt: random.Int64N(day.Milliseconds()), Player: 1 + random.Int32N(int32(players)), Completed: true,
			Score: int16(random.IntN(10_001)), Passed: random.IntN(2) == 0, Answers: []byte{1, 2, 3, 4, 5},
		}
	}
	return plays
}

func BenchmarkAccumulatorAdd(b *testing.B) {
	plays, t := somePlays(10_000, 100_000), NewAccumulator(time.UnixMilli(0).UTC(), 1)
	for _, p := range plays {
		t.Add(p)
	}
	require.EqualValues(b, len(plays), t.Total.Plays)
	for b.Loop() {
		for _, p := range plays {
			t.Add(p)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(plays)), "ns/play")
}

func BenchmarkUnpackDay(b *testing.B) {
	plays := somePlays(10_000, 100_000)
	packed := PackDay(0, slices.Clone(plays))
	n, sum := 0, 0
	count := func(p Play) { n++; sum += int(p.Score) + len(p.Answers) }
	require.NoError(b, UnpackDay(0, packed.Head, packed.Tail, count))
	for _, p := range plays {
		sum -= int(p.Score) + len(p.Answers)
	}
	require.Equal(b, []int{len(plays), 0}, []int{n, sum})
	for b.Loop() {
		_ = UnpackDay(0, packed.Head, packed.Tail, count)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(plays)), "ns/play")
}

func BenchmarkUnpackMonth(b *testing.B) {
	var players, into Players
	for i, p := range somePlays(100_000, 1) {
		players.Add(int32(i+1), PlayerSum{Plays: 1 + int32(i%40), Best: p.Score, Completed: p.Completed, Passed: p.Passed, Last: p.StartedAt})
	}
	packed := PackMonth(0, &players)
	require.NoError(b, UnpackMonth(0, packed, &into))
	require.Equal(b, packed, PackMonth(0, &into))
	for b.Loop() {
		_ = UnpackMonth(0, packed, &into)
	}
}
