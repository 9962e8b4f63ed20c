package reports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
	"dg/web/ui"
)

// The reader chooses the compared period. Every link and form of the page keeps it.
func TestComparisonIsKeptInTheAddress(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Fork(o)
	today := time.Now().UTC()
	w.DB.Players(o.ID, 3)
	w.DB.Plays(fork, 1, today, 0)
	w.DB.Plays(fork, 60, today.AddDate(0, 0, -1), 0)
	w.DB.Plays(fork, 7, today.AddDate(0, 0, -28), 0)
	w.DB.Plays(fork, 50, today.AddDate(0, 0, -29), 0)
	w.DB.Plays(fork, 75, today.AddDate(0, 0, -365), 0)
	base := o.At("/reports/%s", fork.ID)
	follow := func(p testkit.Page, name string) testkit.Page { return b.Get(p.Link(name)) }

	days := func(ago, n int) string {
		return ui.Period(reports.Period{From: today.AddDate(0, 0, -ago-n), Days: n})
	}
	b.Get(base+"?from="+today.AddDate(0, 0, -27).Format(time.DateOnly)+"&to="+
		today.Format(time.DateOnly)).Has(t, "Plays</a></dt><dd>61</dd>",
		`<b><span aria-hidden="true">▲</span><span class="sr">up</span> 20%</b> <span class="whole">60, was 50</span>`,
		`<p class="compared">Up to yesterday: `+days(0, 27)+", compared with "+days(28, 27)+"</p>")
	p := b.Get(base).Has(t, "Plays</a></dt><dd>67</dd>",
		`<b><span aria-hidden="true">▲</span><span class="sr">up</span> 34%</b> <span class="whole">was 50</span>`,
		`<path class="line"`, ">Compared with "+days(28, 28)+"</p>")
	year := follow(p, "52 weeks earlier").Has(t, days(364, 28)+"</p>", `aria-current="true">52 weeks earlier<`,
		`</span> 11%</b> <span class="whole">was 75</span>`,
		`<input type="hidden" name="compare" value="year">`)
	for _, link := range testkit.Cells(`href="(`+base+`\?[^"]*)"[^>]*>([^<]*)<`, year.Body) {
		require.Equal(t, link[1] != "Previous period" && link[1] != "None",
			strings.Contains(link[0], "compare=year"), link)
	}
	hidden := follow(p, "None").Lacks(t, "was 50", "ompared with", `class="line"`)
	follow(hidden, "Previous period").Has(t, "was 50")
	b.Get(base+"?compare=off&compare=off").Is(t, 400)
	b.Get(o.At("/reports")).Has(t, ">was 50", `<p class="compared only-print">Compared with `+days(28, 28))
}

// rules.md, Anonymity: a compared period that k-anonymity hides gives the same page as one without
// plays.
func TestHiddenComparedPeriodLooksLikeAnEmptyOne(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Fork(o)
	players := w.DB.Players(o.ID, 9)
	group := w.DB.GroupNamed(o.ID, "Western region", players[:6]...)
	play := func(at time.Time, players ...testkit.Player) {
		for _, p := range players {
			w.DB.Play(testkit.Play{Fork: fork, Player: p, StartedAt: at})
		}
	}
	day := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	play(day, players...)
	const nothing = "There are no figures to compare with."
	for with, before := range map[string]time.Time{
		"": day.AddDate(0, 0, -1), "year": day.AddDate(0, 0, -364),
	} {
		read := func() testkit.Page {
			return b.Get(o.At("/reports/%s?from=2026-03-11&to=2026-03-11&groupId=%s&compare=%s",
				fork.ID, group, with))
		}
		empty := read().Has(t, nothing).Lacks(t, `class="line"`).Body
		play(before, players[:4]...)
		require.Equal(t, empty, read().Body, "four of the group played")
		play(before, players[6:]...)
		require.Equal(t, empty, read().Body, "others played")
		play(before, players[4])
		read().Has(t, `<b><span aria-hidden="true">▲</span><span class="sr">up</span> 20%</b> <span class="whole">was 5</span>`,
			`<path class="line"`)
	}
	today := time.Now().UTC()
	play(today.AddDate(0, 0, -29), players...)
	play(today.AddDate(0, 0, -1), players[:4]...)
	play(today, players...)
	path := o.At("/reports/%s?from=%s&to=%s&groupId=%s", fork.ID,
		today.AddDate(0, 0, -27).Format(time.DateOnly), today.Format(time.DateOnly), group)
	b.Get(path).Has(t, "Plays</a></dt><dd>10</dd>", nothing) // the complete days are hidden
	play(today.AddDate(0, 0, -1), players[4])
	b.Get(path).Has(t, `<b><span aria-hidden="true">▼</span><span class="sr">down</span> 17%</b> <span class="whole">5, was 6</span>`)
	// Reports begin in 2000.
	b.Get(o.At("/reports/%s?from=2000-01-01&to=2000-01-07", fork.ID)).Is(t, 200).Has(t, nothing)
}

// rules.md, Bounds: a dashboard takes one place at a time, so that many at once wait for one
// another and none for itself.
func TestManyDashboardsAtOnce(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	// of one fork the last play is looked for
	paths := []string{o.At("/reports/%s", w.Played(o)), o.At("/reports/%s", w.Fork(o).ID)}
	const many = 12
	answers := make(chan string, many)
	for i := range many {
		go func() { answers <- fmt.Sprint(b.Get(paths[i%2]).StatusCode) }()
	}
	for range many {
		require.Equal(t, "200", <-answers)
	}
}
