package ui

// Share writes whole percent: 8%.
func (l Locale) Share(percent int64) string { return l.Count(percent) + l.numbers.percent }

// PercentPoints writes the difference of two percentages, in tenths: 1.2.
func (l Locale) PercentPoints(tenths int64) string { return l.decimal(tenths, 10) }

// RatePoints writes the difference of two rates, in ten-thousandths, as one of percentages: 1.25.
func (l Locale) RatePoints(n int64) string { return l.decimal(n, 100) }
