package reports

import "strconv"

// Percent is a percentage in tenths: 625 is 62.5 %.
type Percent int64

// Rate is a ratio in ten-thousandths: 6250 is 0.625.
type Rate int64

// Append appends the percentage as a decimal number without trailing zeros: 62.5, 70, 0.
func (p Percent) Append(b []byte) []byte { return appendDecimal(b, int64(p), 1) }

// Append appends the ratio as a decimal number without trailing zeros: 0.625, 1, 0.
func (r Rate) Append(b []byte) []byte { return appendDecimal(b, int64(r), 4) }

// appendDecimal appends n / 10^places without trailing zeros. n must not be negative.
func appendDecimal(b []byte, n int64, places int) []byte {
	for ; places > 0 && n%10 == 0; places-- {
		n /= 10
	}
	scale := int64(1)
	for range places {
		scale *= 10
	}
	b = strconv.AppendInt(b, n/scale, 10)
	if places == 0 {
		return b
	}
	b = append(b, '.')
	for rest := n % scale; scale > 1; rest %= scale {
		scale /= 10
		b = append(b, byte('0'+rest/scale))
	}
	return b
}

// divide returns a / b, rounded half away from zero, or 0 if b is 0. Neither may be negative.
func divide(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return (2*a + b) / (2 * b)
}

// meanScore returns the mean of n scores, or 0 for none. sum is in hundredths of a percent.
func meanScore(sum, n int64) Percent { return Percent(divide(sum, 10*n)) }

// roundScore rounds a score from hundredths to tenths of a percent.
func roundScore(score int16) Percent { return Percent(divide(int64(score), 10)) }

// PercentOf returns part / whole, rounded once, or 0 if whole is 0.
func PercentOf(part, whole int64) Percent { return Percent(divide(1000*part, whole)) }

func rate(part, whole int64) Rate { return Rate(divide(10_000*part, whole)) }
