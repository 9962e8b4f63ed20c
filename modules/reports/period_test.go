package reports

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dg/platform/apperr"
)

// rules.md, Formats: the error names the parameter to correct, shows its value and the right form.
func TestInvalidPeriodIsExplained(t *testing.T) {
	const (
		noDay  = "`from` is not a day from 2000-01-01 to 2199-12-31: "
		format = ". Send a calendar day, YYYY-MM-DD, for example 2026-03-01."
	)
	for period, want := range map[[2]string]string{
		{"", ""}: "from: Query parameters `from` and `to` are required, " +
			"for example from=2026-03-01&to=2026-03-31.",
		{"", "2024-05-01"}: "from: Query parameter `from` is required, for example from=2026-03-01.",
		{"2024-05-01", ""}: "to: Query parameter `to` is required, for example to=2026-03-31.",

		{"2024-05-02", "2024-05-01"}: "to: `to` (2024-05-01) is before `from` (2024-05-02).",
		{"2023-01-01", "2024-01-02"}: "to: The period from 2023-01-01 to 2024-01-02 has 367 days. " +
			"The maximum is 366, both days included.",
		{"1999-12-31", "2000-01-01"}: "from: " + noDay + "1999-12-31" + format,
		{"2026-13-01", "2026-02-30"}: "from: " + noDay + "2026-13-01" + format,

		{"2024-05-01 12:00", "2024-05-01"}:      "from: " + noDay + "2024-05-01 12:00" + format,
		{"a\u202e\xff\r\n{field}", "x"}:         "from: " + noDay + "a\uFFFD\uFFFD\uFFFD\uFFFD{field}" + format,
		{strings.Repeat("ä", 61), "2024-05-01"}: "from: " + noDay + strings.Repeat("ä", 60) + "…" + format,
	} {
		_, err := ParsePeriod(period[0], period[1])
		require.True(t, apperr.Is(err, apperr.Validation), "%q: %v", period, err)
		require.Equal(t, want, apperr.From(err).Field+": "+apperr.From(err).Message, "%q", period)
	}
}

// specification, 4.3: two texts are a period if they are days that exist, from 2000 to 2199, in order
// and at most 366 days. Everything else gets a short, printable message.
func TestPeriodsAreTheDaysOfTheCalendar(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^2[01]\d\d-\d\d-\d\d$`)
	day := rapid.OneOf(rapid.StringMatching(`20(2[34]|00)-(0[0-3]|1[0-3])-[0-3]\d`),
		rapid.StringMatching(`[12][0129]\d\d-\d\d-\d\d[T ]?`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		from := day.Draw(t, "from")
		to := day.Draw(t, "to")
		first, firstErr := time.Parse(time.DateOnly, from)
		if firstErr == nil && rapid.Bool().Draw(t, "near") {
			days := rapid.SampledFrom([]int{-1, 0, 1, 364, 365, 366}).Draw(t, "days")
			to = first.AddDate(0, 0, days).Format(time.DateOnly)
		}
		last, lastErr := time.Parse(time.DateOnly, to)
		days := int(last.Sub(first).Hours()/24) + 1
		p, err := ParsePeriod(from, to)
		require.Equal(t, form.MatchString(from) && form.MatchString(to) && firstErr == nil &&
			lastErr == nil && days >= 1 && days <= 366, err == nil, "%v", err)
		if err != nil {
			require.True(t, apperr.Is(err, apperr.Validation))
			require.NotEmpty(t, apperr.From(err).Field)
			message := apperr.From(err).Message
			require.False(t,
				strings.ContainsFunc(message, func(r rune) bool { return !unicode.IsPrint(r) }), message)
			require.LessOrEqual(t, utf8.RuneCountInString(message), 200)
			return
		}
		require.Equal(t, []any{days, from, to, first, last.AddDate(0, 0, 1)},
			[]any{p.Days, p.Day(0), p.Day(p.Days - 1), p.From, p.End()})
	})
}
