package reports

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// rankByComparison is the reference ranking: it sorts the rows by comparison.
func rankByComparison(s *segment.Players, labels map[int32]string) []PlayerStat {
	rows := []PlayerStat{}
	s.Each(func(ordinal int32, p segment.PlayerSum) {
		rows = append(rows, PlayerStat{
			Label: labels[ordinal], Plays: int64(p.Plays), BestScore: roundScore(p.BestScore),
			LastPlayedAt: time.UnixMilli(p.LastPlayedAt).UTC(), Passed: p.Passed, Completed: p.Completed,
		})
	})
	slices.SortFunc(rows, func(a, b PlayerStat) int {
		return cmp.Or(cmp.Compare(b.Plays, a.Plays), cmp.Compare(b.BestScore, a.BestScore),
			strings.Compare(a.Label, b.Label), b.LastPlayedAt.Compare(a.LastPlayedAt),
			cmp.Compare(boolToBit(b.Passed), boolToBit(a.Passed)),
			cmp.Compare(boolToBit(b.Completed), boolToBit(a.Completed)))
	})
	return rows
}

// rules.md, Figures: players are ordered by plays, rounded best score and label. The last play breaks ties.
func TestRankingAgreesWithComparison(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.SampledFrom([]func(int32) string{
			func(o int32) string { return fmt.Sprintf("P-%06d", o*7919%1_000_003) },
			func(o int32) string { return fmt.Sprintf("The same for all of them %09d", o%500) },
			func(int32) string { return "" },
			func(o int32) string { return strings.Repeat("a", int(o%40)) },
			func(o int32) string { return string([]rune{'é', 0x4e00 + o%97}) + fmt.Sprint(o%11) },
		}).Draw(t, "labels")
		var s segment.Players
		texts := map[int32]string{}
		for i := range rapid.Int32Range(0, 300).Draw(t, "players") {
			texts[i+1] = label(i + 1)
			s.Add(i+1, segment.PlayerSum{
				Plays: rapid.OneOf(rapid.Int32Range(1, 4), rapid.Int32Range(1<<22-3, 1<<22+1),
					rapid.Just[int32](1<<31-1)).Draw(t, "plays"),
				BestScore:    rapid.SampledFrom([]int16{0, 4, 5, 9994, 9995, 10_000}).Draw(t, "best"),
				Completed:    rapid.Bool().Draw(t, "completed"),
				Passed:       rapid.Bool().Draw(t, "passed"),
				LastPlayedAt: rapid.Int64Range(0, 3).Draw(t, "last"),
			})
		}
		for missing := range int32(3) { // 0: all labels; 1: labels of odd ordinals; 2: none
			maps.DeleteFunc(texts, func(ordinal int32, text string) bool {
				return text == "" || ordinal*missing%2 == 0 && missing > 0
			})
			r := newRanking(&s, newLabels(texts))
			require.Equal(t, rankByComparison(&s, texts),
				Statistics{UniquePlayers: int64(s.Count()), Player: r.row}.Players())
		}
	})
}

func newLabels(texts map[int32]string) *labels {
	l := &labels{starts: []uint32{0}}
	previous := ""
	for _, ordinal := range slices.SortedFunc(maps.Keys(texts), func(a, b int32) int {
		return cmp.Or(strings.Compare(texts[a], texts[b]), cmp.Compare(a, b))
	}) {
		if texts[ordinal] == previous { // never for the first text, which is not empty
			l.ordinals = append(l.ordinals, ^ordinal)
		} else {
			l.ordinals = append(l.ordinals, ordinal)
		}
		previous = texts[ordinal]
		l.text += previous
		l.starts = append(l.starts, uint32(len(l.text)))
	}
	return l
}

// doc.go, Invariants: figures are rounded half away from zero, once, at the end.
func TestFiguresAreRoundedHalfAwayFromZero(t *testing.T) {
	for want, got := range map[string][]byte{
		"0":      meanScore(0, 0).Append(nil),
		"62.6":   meanScore(6255, 1).Append(nil), // a half goes up
		"99.9":   meanScore(9994, 1).Append(nil),
		"33.3":   meanScore(10_000, 3).Append(nil),
		"0.6667": rateOf(2, 3).Append(nil),
		"1":      rateOf(7, 7).Append(nil),
		"0.0001": rateOf(1, 20_000).Append(nil), // a half goes up
		"12.4":   roundScore(1235).Append(nil),
	} {
		require.Equal(t, want, string(got))
	}
	require.Equal(t, Rate(0), rateOf(0, 0))
	const plays = 1_000_000_000 // the sums must not overflow
	require.Equal(t, Percent(1000), meanScore(10_000*plays, plays))
	require.Equal(t, Rate(10_000), rateOf(plays, plays))
}

// rules.md, Formats: the error of a period names the parameter, and shows at most 60 printable characters of a day.
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
		{"2026-13-01", "2026-02-30"}: "from: " + noDay + "2026-13-01" + format,

		{"a\u202e\xff\r\n{field}", "x"}:         "from: " + noDay + "a\uFFFD\uFFFD\uFFFD\uFFFD{field}" + format,
		{strings.Repeat("ä", 61), "2024-05-01"}: "from: " + noDay + strings.Repeat("ä", 60) + "…" + format,
	} {
		_, err := ParsePeriod(period[0], period[1])
		require.True(t, apperr.Is(err, apperr.Validation), "%q: %v", period, err)
		require.Equal(t, want, apperr.From(err).Field+": "+apperr.From(err).Message, "%q", period)
	}
}

// A period has 1 to 366 days between 2000 and 2199. Everything else gets a short, printable message.
func TestOnlyPeriodsOfUpTo366DaysAreValid(t *testing.T) {
	t.Parallel()
	dayPattern := regexp.MustCompile(`^2[01]\d\d-\d\d-\d\d$`)
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
		require.Equal(t, dayPattern.MatchString(from) && dayPattern.MatchString(to) && firstErr == nil &&
			lastErr == nil && days >= 1 && days <= 366, err == nil, "%v", err)
		if err != nil {
			require.True(t, apperr.Is(err, apperr.Validation))
			require.NotEmpty(t, apperr.From(err).Field)
			message := apperr.From(err).Message
			require.False(t, strings.ContainsFunc(message, func(r rune) bool { return !unicode.IsPrint(r) }), message)
			require.LessOrEqual(t, utf8.RuneCountInString(message), 200)
			return
		}
		require.Equal(t, []any{days, from, to, first, last.AddDate(0, 0, 1)},
			[]any{p.Days, p.Day(0), p.Day(p.Days - 1), p.From, p.End()})
	})
}
