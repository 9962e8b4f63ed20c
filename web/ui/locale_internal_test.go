package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
)

func localeOfTag(t *testing.T, tag string) Locale {
	t.Helper()
	l, ok := LocaleByTag(tag)
	require.True(t, ok, tag)
	return l
}

func TestNumbersOfARegion(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string][]string{
		"en-GB": {
			"0", "999", "1,000", "1,234,567", "-1,234", "-123", "69.6%", "0.0%",
			"100.0%",
		},
		"de-DE": {
			"0", "999", "1.000", "1.234.567", "-1.234", "-123", "69,6\u00a0%", "0,0\u00a0%",
			"100,0\u00a0%",
		},
		"de-CH": {
			"0", "999", "1'000", "1'234'567", "-1'234", "-123", "69.6%", "0.0%",
			"100.0%",
		},
		"es-ES": {
			"0", "999", "1000", "1.234.567", "-1234", "-123", "69,6\u00a0%", "0,0\u00a0%",
			"100,0\u00a0%",
		},
		"en-IN": {
			"0", "999", "1,000", "12,34,567", "-1,234", "-123", "69.6%", "0.0%",
			"100.0%",
		},
	} {
		l := localeOfTag(t, tag)
		got := []string{}
		for _, n := range []int64{0, 999, 1000, 1_234_567, -1234, -123} {
			got = append(got, l.Count(n))
		}
		for _, p := range []reports.Percent{696, 0, 1000} {
			got = append(got, l.Percent(p))
		}
		require.Equal(t, want, got, tag)
	}
}

func TestDatesOfARegion(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 15, 4, 5, 0, time.UTC) // a Saturday
	month := Between(at.AddDate(0, 0, -20).Truncate(OneDay), at.Truncate(OneDay))
	for tag, want := range map[string][]string{
		"en-GB": {"21 Nov 2026", "Sat 21 Nov 2026", "21 Nov", "Nov 2026",
			"15:04 UTC", "15:04:05 UTC", "2026-11-16",
			"1 to 21 Nov 2026", "25 Oct to 21 Nov 2026",
			"22 Nov 2025 to 21 Nov 2026", "21 Nov 2026"},
		"en-US": {"Nov 21, 2026", "Sat, Nov 21, 2026", "Nov 21", "Nov 2026",
			"3:04 PM UTC", "3:04:05 PM UTC", "2026-11-15",
			"Nov 1 to 21, 2026", "Oct 25 to Nov 21, 2026",
			"Nov 22, 2025 to Nov 21, 2026", "Nov 21, 2026"},
		"hu-HU": {"2026 Nov 21", "Sat 2026 Nov 21", "Nov 21", "2026 Nov",
			"15:04 UTC", "15:04:05 UTC", "2026-11-16",
			"2026 Nov 1 to 21", "2026 Oct 25 to Nov 21",
			"2025 Nov 22 to 2026 Nov 21", "2026 Nov 21"},
	} {
		l := localeOfTag(t, tag)
		got := []string{
			l.Day(at), l.Weekday(at), l.DayMonth(at), l.Month(at), l.Clock(at),
			l.ClockSecond(at), l.WeekOf(at).Format(time.DateOnly),
			l.Period(month), l.Period(LastDays(month.End().AddDate(0, 0, -1), 28)),
			l.Period(LastDays(month.End().AddDate(0, 0, -1), 365)),
			l.Period(LastDays(month.End().AddDate(0, 0, -1), 1)),
		}
		require.Equal(t, want, got, tag)
		require.Contains(t, string(l.Second(at)), `datetime="2026-11-21T15:04:05.000Z"`,
			"what programs read stays")
	}
}

func TestBrowserLanguageChoosesTheRegion(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"":                                    "en-GB",
		"*":                                   "en-GB",
		"tlh":                                 "en-GB",
		"%%%;;q":                              "en-GB",
		"de":                                  "de-DE",
		"de-AT,de;q=0.8":                      "de-AT",
		"de-LI":                               "de-DE",
		"en":                                  "en-GB",
		"en-ZA":                               "en-GB",
		"en-us":                               "en-US",
		"tlh,fr-CA;q=0.5":                     "fr-CA",
		"en;q=0.1, sv;q=0.9":                  "sv-SE",
		"no":                                  "nb-NO",
		"zh-Hant-TW":                          "zh-CN",
		"pt-BR":                               "pt-BR",
		"pt-AO":                               "pt-PT",
		"es-419":                              "es-ES",
		"de-CH," + string(make([]byte, 4000)): "de-CH",
	} {
		require.Equal(t, want, NewLocale("", header).Tag, header)
	}
	require.Equal(t, "hu-HU", NewLocale("hu-HU", "de").Tag, "the person's choice comes first")
	require.Equal(t, "de-DE", NewLocale("xx-YY", "de").Tag, "a choice of another release")
}
