package ui_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
	"dg/web/ui"
)

func TestNumbersAreGroupedInThrees(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 1_234_567: "1,234,567", -1234: "-1,234", -123: "-123",
	} {
		require.Equal(t, want, ui.Count(n))
	}
	require.Equal(t, "69.6%", ui.Percent(696))
	require.Equal(t, "0.0%", ui.Percent(0))
}

func TestPeriodsNameEachMonthAndYearOnce(t *testing.T) {
	t.Parallel()
	last := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) // a Saturday
	for days, want := range map[int]string{
		1: "21 Nov 2026", 21: "1 to 21 Nov 2026", 28: "25 Oct to 21 Nov 2026",
		365: "22 Nov 2025 to 21 Nov 2026",
	} {
		first := last.AddDate(0, 0, 1-days)
		require.Equal(t, want, ui.Period(reports.Period{From: first, Days: days}))
	}
	require.Equal(t, "Sat 21 Nov 2026", ui.Weekday(last))
}
