package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
)

// cldr is what a browser says about a locale: a number of seven digits and one of four, a
// percentage, the order of a date, the hours of its clock, and the first day of a week, of which 7
// is Sunday.
const cldr = `%TAGS%.map(tag => {
	const write = (n, style) => new Intl.NumberFormat(tag, style).format(n);
	const parts = new Intl.DateTimeFormat(tag, {dateStyle: 'medium'}).formatToParts(new Date(0)).map(p => p.type);
	const order = parts.filter(p => ['day', 'month', 'year'].includes(p)).map(p => p[0]).join('');
	const hours = new Intl.DateTimeFormat(tag, {hour: 'numeric'}).resolvedOptions().hour12 ? 12 : 24;
	const at = new Intl.Locale(tag);
	return [tag, write(1234567), write(1234), write(0.696, {style: 'percent', minimumFractionDigits: 1}), order, hours,
		(at.getWeekInfo ? at.getWeekInfo() : at.weekInfo).firstDay].join(' | ');
})`

// The table of locales is CLDR's, as Chromium has it.
func TestLocalesAgreeWithTheBrowser(t *testing.T) {
	t.Parallel()
	p := browsertest.New(t)
	tags := []string{}
	want := []string{}
	for _, l := range Locales {
		tags = append(tags, "'"+l.Tag+"'")
		first := int(l.FirstDay)
		if first == 0 {
			first = 7
		}
		want = append(want, strings.Join([]string{
			l.Tag, l.Count(1_234_567), l.Count(1234), l.Percent(696), l.Order(),
			Locales[0].Count(int64(l.Hours)), Locales[0].Count(int64(first)),
		}, " | "))
	}
	var got []string
	p.Eval(strings.Replace(cldr, "%TAGS%", "["+strings.Join(tags, ",")+"]", 1), &got)
	require.Equal(t, want, got)
}
