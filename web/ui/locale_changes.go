package ui

// Signed writes a difference with its sign: +1,363 or −12.
func (l Locale) Signed(n int64) string { return signOf(n) + l.Count(max(n, -n)) }

// Share writes whole percent: 8%.
func (l Locale) Share(percent int64) string { return l.Count(percent) + l.numbers.percent }

// PercentPoints writes the difference of two percentages, in tenths: +1.2.
func (l Locale) PercentPoints(tenths int64) string {
	return signOf(tenths) + l.decimal(max(tenths, -tenths), 10)
}

// RatePoints writes the difference of two rates, in ten-thousandths, as one of percentages: +1.25.
func (l Locale) RatePoints(n int64) string { return signOf(n) + l.decimal(max(n, -n), 100) }

func signOf(n int64) string {
	switch {
	case n > 0:
		return "+"
	case n < 0:
		return "−"
	}
	return ""
}
