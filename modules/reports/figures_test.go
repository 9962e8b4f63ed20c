package reports

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Formats: half away from zero, once, at the end.
func TestFiguresAreRoundedHalfAwayFromZero(t *testing.T) {
	t.Parallel()
	for want, got := range map[string][]byte{
		"0":      meanScore(0, 0).Append(nil),
		"62.6":   meanScore(6255, 1).Append(nil), // a half goes up
		"99.9":   meanScore(9994, 1).Append(nil),
		"33.3":   meanScore(10_000, 3).Append(nil),
		"0.6667": rate(2, 3).Append(nil),
		"1":      rate(7, 7).Append(nil),
		"0.0001": rate(1, 20_000).Append(nil), // a half goes up
		"12.4":   roundScore(1235).Append(nil),
	} {
		require.Equal(t, want, string(got))
	}
	require.Equal(t, Rate(0), rate(0, 0))
}

// exactly is the model of divide: it rounds fractions.
func exactly(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	half := new(big.Rat).Add(big.NewRat(a, b), big.NewRat(1, 2))
	return new(big.Int).Quo(half.Num(), half.Denom()).Int64()
}

// divide agrees with the model for scores of up to a thousand million plays.
func TestDivideIsExact(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(90, 90))
	for range 40_000 {
		b := random.Int64N(int64(1) << random.IntN(34))
		a := random.Int64N(int64(1) << random.IntN(44))
		if random.IntN(4) == 0 && b > 0 {
			a = a/b*b + b/2 + random.Int64N(3) - 1 // about a half
			a = max(a, 0)
		}
		if got, want := divide(a, b), exactly(a, b); got != want {
			t.Fatalf("%d / %d is %d, not %d", a, b, got, want)
		}
	}
	const plays = 1_000_000_000
	require.Equal(t, Percent(1000), meanScore(10_000*plays, plays))
	require.Equal(t, Rate(10_000), rate(plays, plays))
}
