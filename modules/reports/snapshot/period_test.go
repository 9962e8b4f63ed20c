package snapshot

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

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

// rules.md, Formats: the field is the one to correct; the message says what is wrong with it, shows
// the value, and says how it is written.
func TestInvalidPeriodIsExplained(t *testing.T) {
	t.Parallel()
	const (
		years  = ". Send a day from 2000-01-01 to 2199-12-31."
		format = ". Send a calendar day, YYYY-MM-DD, for example 2026-03-01."
		noTime = ". Send the day alone, YYYY-MM-DD."
	)
	for period, want := range map[[2]string]struct{ field, message string }{
		{"", ""}: {
			"from",
			"Query parameters `from` and `to` are required, for example from=2026-03-01&to=2026-03-31.",
		},
		{"", "2024-05-01"}: {
			"from", "Query parameter `from` is required, for example from=2026-03-01.",
		},
		{"2024-05-01", ""}: {"to", "Query parameter `to` is required, for example to=2026-03-31."},
		{"today", ""}:      {"to", "Query parameter `to` is required, for example to=2026-03-31."},

		{"2024-05-02", "2024-05-01"}: {"to", "`to` (2024-05-01) is before `from` (2024-05-02)."},
		{"2023-01-01", "2024-01-02"}: {
			"to",
			"The period from 2023-01-01 to 2024-01-02 has 367 days. The maximum is 366, both days included.",
		},
		{"2000-01-01", "2199-12-31"}: {
			"to",
			"The period from 2000-01-01 to 2199-12-31 has 73049 days. The maximum is 366, both days included.",
		},

		{"1999-12-31", "2000-01-01"}: {"from", "`from` is out of range: 1999-12-31" + years},
		{"2199-12-31", "2200-01-01"}: {"to", "`to` is out of range: 2200-01-01" + years},
		{"2023-02-29", "2023-03-01"}: {
			"from", "`from` is not a day of the calendar: 2023-02-29" + format,
		},
		{"2026-02-01", "2026-02-30"}: {
			"to", "`to` is not a day of the calendar: 2026-02-30" + format,
		},
		{"2026-13-01", "2026-02-30"}: {
			"from", "`from` is not a day of the calendar: 2026-13-01" + format,
		},

		{"2024-05-01T00:00:00Z", "2024-05-01"}: {
			"from", "`from` has a time: 2024-05-01T00:00:00Z" + noTime,
		},
		{"2024-05-01", "2024-05-01 12:00"}: {
			"to", "`to` has a time: 2024-05-01 12:00" + noTime,
		},

		{"today", "2024-05-01"}:       {"from", "`from` is not a day: today" + format},
		{"2024-05-01", "2024-05-01 "}: {"to", "`to` is not a day: 2024-05-01 " + format},
		{"2024-5-1", "2024-05-01"}: {
			"from", "`from` is not a day: 2024-5-1" + format,
		},
		{"2024-05-01", "2024-05-01x"}: {"to", "`to` is not a day: 2024-05-01x" + format},
		{"+024-05-01", "2024-05-01"}: {
			"from", "`from` is not a day: +024-05-01" + format,
		},
		{"٢٠٢٤-05-01", "2024-05-01"}: {
			"from", "`from` is not a day: ٢٠٢٤-05-01" + format,
		},
		{"2024-05-01", "\xff\xfe\x00-05-01\x00"}: {
			"to", "`to` is not a day: \uFFFD\uFFFD\uFFFD-05-01\uFFFD" + format,
		},
		{"a\u202eb\u00a0\r\n{field}", "x"}: {
			"from", "`from` is not a day: a\uFFFDb\uFFFD\uFFFD\uFFFD{field}" + format,
		},
		{strings.Repeat("ä", 61), "2024-05-01"}: {
			"from", "`from` is not a day: " + strings.Repeat("ä", 60) + "…" + format,
		},
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
		{"2024-01-01", "2024-12-31"}, {"2024-02-29", "2024-02-29"}, {"2023-02-29", "2023-03-01"},
		{"2000-01-01", "2199-12-31"}, {"", "\xff"}, {"2024-01-01", "\u202e\x00\u00a0{value}"},
		{strings.Repeat("2024-01-01", 99), "x"}, {"2024-12-31", "2024-01-01"},
	} {
		f.Add(period[0], period[1])
	}
	f.Fuzz(func(t *testing.T, from, to string) {
		p, err := ParsePeriod(from, to)
		first, firstErr := time.Parse(time.DateOnly, from)
		last, lastErr := time.Parse(time.DateOnly, to)
		days := int(last.Sub(first).Hours()/24) + 1
		valid := dayForm.MatchString(from) && dayForm.MatchString(to) && firstErr == nil &&
			lastErr == nil && days >= 1 && days <= 366
		if valid != (err == nil) {
			t.Fatalf("ParsePeriod(%q, %q): %v", from, to, err)
		}
		if err != nil {
			if !apperr.Is(err, apperr.Validation) || apperr.From(err).Field == "" {
				t.Fatalf("ParsePeriod(%q, %q) is not the caller's error: %v", from, to, err)
			}
			message := apperr.From(err).Message
			if strings.ContainsFunc(message, func(r rune) bool { return !unicode.IsPrint(r) }) ||
				utf8.RuneCountInString(message) > 200 {
				t.Fatalf("ParsePeriod(%q, %q) is explained by %q", from, to, message)
			}
			return
		}
		if p.Days != days || p.Day(0) != from || p.Day(p.Days-1) != to || !p.From.Equal(first) ||
			!p.End().Equal(last.AddDate(0, 0, 1)) {
			t.Fatalf("ParsePeriod(%q, %q) = %v", from, to, p)
		}
	})
}
