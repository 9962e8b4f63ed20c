package reports

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

func TestPeriodIncludesBothDays(t *testing.T) {
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
}

// The field is the one to correct; the message says what is wrong with it and how it is written.
func TestInvalidPeriodIsExplained(t *testing.T) {
	t.Parallel()
	const (
		years  = " must be a calendar day from 2000-01-01 to 2199-12-31."
		format = " must be a calendar day, YYYY-MM-DD, for example 2026-03-01."
		noTime = " must be a calendar day, YYYY-MM-DD, without a time."
	)
	for period, want := range map[[2]string]struct{ field, message string }{
		{"", ""}:           {"from", "Query parameters `from` and `to` are required, for example from=2026-03-01&to=2026-03-31."},
		{"", "2024-05-01"}: {"from", "Query parameter `from` is required, for example from=2026-03-01."},
		{"2024-05-01", ""}: {"to", "Query parameter `to` is required, for example to=2026-03-31."},
		{"today", ""}:      {"to", "Query parameter `to` is required, for example to=2026-03-31."},

		{"2024-05-02", "2024-05-01"}: {"to", "`to` (2024-05-01) is before `from` (2024-05-02)."},
		{"2023-01-01", "2024-01-02"}: {"to", "The period has 367 days. The maximum is 366, both days included."},
		{"2000-01-01", "2199-12-31"}: {"to", "The period has 73049 days. The maximum is 366, both days included."},

		{"1999-12-31", "2000-01-01"}: {"from", "`from`" + years},
		{"2199-12-31", "2200-01-01"}: {"to", "`to`" + years},
		{"2023-02-29", "2023-03-01"}: {"from", "`from` must be a calendar day, YYYY-MM-DD: 2023-02-29 does not exist."},
		{"2026-02-01", "2026-02-30"}: {"to", "`to` must be a calendar day, YYYY-MM-DD: 2026-02-30 does not exist."},
		{"2026-13-01", "2026-02-30"}: {"from", "`from` must be a calendar day, YYYY-MM-DD: 2026-13-01 does not exist."},

		{"2024-05-01T00:00:00Z", "2024-05-01"}: {"from", "`from`" + noTime},
		{"2024-05-01", "2024-05-01 12:00"}:     {"to", "`to`" + noTime},

		{"today", "2024-05-01"}:                  {"from", "`from`" + format},
		{"2024-05-01", "2024-05-01 "}:            {"to", "`to`" + format},
		{"2024-5-1", "2024-05-01"}:               {"from", "`from`" + format},
		{"2024-05-01", "2024-05-01x"}:            {"to", "`to`" + format},
		{"+024-05-01", "2024-05-01"}:             {"from", "`from`" + format},
		{"٢٠٢٤-05-01", "2024-05-01"}:             {"from", "`from`" + format},
		{"2024-05-01", "\xff\xfe\x00-05-01\x00"}: {"to", "`to`" + format},
	} {
		_, err := ParsePeriod(period[0], period[1])
		require.True(t, apperr.Is(err, apperr.Validation), "%q: %v", period, err)
		require.Equal(t, want.field, apperr.From(err).Field, "%q", period)
		require.Equal(t, want.message, apperr.From(err).Message, "%q", period)
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
