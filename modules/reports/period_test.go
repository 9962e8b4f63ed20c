package reports

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

// Specification, section 4.3: inclusive of both days, at most 366; decisions, "Formats": years 2000 to 2199.
func TestParsePeriod(t *testing.T) {
	t.Parallel()
	for period, days := range map[[2]string]int{
		{"2024-05-01", "2024-05-01"}: 1,
		{"2024-02-28", "2024-03-01"}: 3,
		{"2023-02-28", "2023-03-01"}: 2,
		{"2024-01-01", "2024-12-31"}: 366,
		{"2023-01-01", "2024-01-01"}: 366,
		{"2000-01-01", "2000-01-01"}: 1,
		{"2199-12-31", "2199-12-31"}: 1,
	} {
		p, err := ParsePeriod(period[0], period[1])
		require.NoError(t, err)
		require.Equal(t, days, p.Days)
		require.Equal(t, period[0], p.Day(0))
		require.Equal(t, period[1], p.Day(p.Days-1))
		require.Equal(t, period[0]+"_"+period[1], p.String())
		require.Equal(t, time.UTC, p.From.Location())
		require.Equal(t, time.Duration(days)*24*time.Hour, p.End().Sub(p.From))
	}
	for period, field := range map[[2]string]string{
		{"2024-05-02", "2024-05-01"}:             "to",
		{"2023-01-01", "2024-01-02"}:             "to", // 367 days
		{"2000-01-01", "2199-12-31"}:             "to",
		{"", "2024-05-01"}:                       "from",
		{"2024-05-01", ""}:                       "to",
		{"1999-12-31", "2000-01-01"}:             "from",
		{"2199-12-31", "2200-01-01"}:             "to",
		{"2023-02-29", "2023-03-01"}:             "from",
		{"2024-05-01", "2024-05-01 "}:            "to",
		{"2024-05-01T00:00:00Z", "2024-05-01"}:   "from",
		{"٢٠٢٤-05-01", "2024-05-01"}:             "from",
		{"2024-05-01", "\xff\xfe\x00-05-01\x00"}: "to",
	} {
		_, err := ParsePeriod(period[0], period[1])
		require.True(t, apperr.Is(err, apperr.Validation), "%q: %v", period, err)
		require.Equal(t, field, apperr.From(err).Field, "%q", period)
	}
}

var dayForm = regexp.MustCompile(`^2[01]\d\d-\d\d-\d\d$`)

func FuzzParsePeriod(f *testing.F) {
	for _, period := range [][2]string{
		{"2024-01-01", "2024-12-31"}, {"2024-02-29", "2024-02-29"}, {"2023-02-29", "2023-03-01"}, {"2000-01-01", "2199-12-31"}, {"", "\xff"}, {"2024-12-31", "2024-01-01"},
	} {
		f.Add(period[0], period[1])
	}
	f.Fuzz(func(t *testing.T, from, to string) {
		p, err := ParsePeriod(from, to)
		first, firstErr := time.Parse(time.DateOnly, from)
		last, lastErr := time.Parse(time.DateOnly, to)
		days := int(last.Sub(first).Hours()/24) + 1
		valid := dayForm.MatchString(from) && dayForm.MatchString(to) && firstErr == nil && lastErr == nil && days >= 1 && days <= 366
		if valid != (err == nil) {
			t.Fatalf("ParsePeriod(%q, %q): %v", from, to, err)
		}
		if err != nil {
			if !apperr.Is(err, apperr.Validation) || apperr.From(err).Field == "" {
				t.Fatalf("ParsePeriod(%q, %q) is not the caller's error: %v", from, to, err)
			}
			return
		}
		if p.Days != days || p.Day(0) != from || p.Day(p.Days-1) != to || !p.From.Equal(first) || !p.End().Equal(last.AddDate(0, 0, 1)) {
			t.Fatalf("ParsePeriod(%q, %q) = %v", from, to, p)
		}
	})
}
