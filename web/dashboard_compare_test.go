package web_test

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// The comparison can be turned off: every link of the page, and its form, keep that.
func TestComparisonIsKeptInTheAddress(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	fork := w.fork(o)
	today := time.Now().UTC()
	w.db.Players(o.ID, 3)
	w.db.Plays(fork, 60, today, 0)
	w.db.Plays(fork, 50, today.AddDate(0, 0, -28), 0)
	b := w.signedIn(t, o.owner)
	base := o.at("/reports/%s", fork.ID)

	p := b.get(base)
	require.Contains(t, html.UnescapeString(p.body), "+10, up 20% from 50")
	period := regexpFind(t, `<span>Compared with ([^<]*)\.</span>`, p.body)
	require.True(t, strings.HasSuffix(period, ", the 28 days before"), period)
	hidden := b.get(html.UnescapeString(regexpFind(t, `<a class="[^"]*" href="([^"]*)">Hide comparison</a>`, p.body)))
	require.NotContains(t, hidden.body, " from 50")
	require.NotContains(t, hidden.body, "Compared with")
	require.Contains(t, hidden.body, `<input type="hidden" name="compare" value="off">`)
	for _, link := range cells(`href="(`+base+`\?[^"]*)">([^<]*)<`, hidden.body) {
		require.Equal(t, link[1] != "Compare with the previous period", strings.Contains(link[0], "compare=off"), link)
	}
	again := b.get(html.UnescapeString(regexpFind(t, `<a class="[^"]*" href="([^"]*)">Compare with the previous period</a>`, hidden.body)))
	require.Contains(t, html.UnescapeString(again.body), "+10, up 20% from 50")
	require.Equal(t, http.StatusBadRequest, b.get(base+"?compare=off&compare=off").StatusCode)
}

// Another period or group keeps how the lists are sorted and searched. Links to the documentation keep the organisation.
func TestPeriodsAndGroupsKeepTheLists(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	p := w.signedIn(t, o.owner).get(o.at("/reports/%s?sort=label&dir=desc&skills=weakest&player=P-&page=2", w.played(o)))
	for _, preset := range cells(`<a href="([^"]*)"[^>]*>(7 days|12 months)</a>`, p.body) {
		require.Regexp(t, `\?dir=desc&from=[0-9-]+&player=P-&skills=weakest&sort=label&to=[0-9-]+$`, html.UnescapeString(preset[0]))
	}
	form := regexpFind(t, `(?s)aria-label="Group and period">(.*?)</form>`, p.body)
	require.Equal(t, [][]string{{"sort", "label"}, {"dir", "desc"}, {"player", "P-"}, {"skills", "weakest"}}, cells(`type="hidden" name="([^"]*)" value="([^"]*)"`, form))
	require.Contains(t, p.body, `href="/docs?org=acme#start"`)
}

// A previous period that k-anonymity hides gives the same page, to the byte, as one in which nobody played.
func TestHiddenPreviousPeriodLooksLikeAnEmptyOne(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	fork := w.fork(o)
	players := w.db.Players(o.ID, 9)
	group := w.db.GroupNamed(o.ID, "Western region", players[:6]...)
	play := func(at time.Time, players ...fixtures.Player) {
		for _, p := range players {
			w.db.Play(fixtures.Play{Fork: fork, Player: p, StartedAt: at})
		}
	}
	day := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	play(day, players...)
	b := w.signedIn(t, o.owner)
	read := func() string {
		return b.get(o.at("/reports/%s?from=2026-03-11&to=2026-03-11&groupId=%s", fork.ID, group)).body
	}
	empty := read()
	require.Contains(t, empty, "There is nothing to compare with in the previous period.")
	play(day.AddDate(0, 0, -1), players[:4]...)
	require.Equal(t, empty, read(), "four of the group played")
	play(day.AddDate(0, 0, -1), players[6:]...)
	require.Equal(t, empty, read(), "others played")
	play(day.AddDate(0, 0, -1), players[4])
	require.Contains(t, html.UnescapeString(read()), "+1, up 20% from 5")
	first := b.get(o.at("/reports/%s?from=2000-01-01&to=2000-01-07", fork.ID))
	require.Equal(t, http.StatusOK, first.StatusCode)
	require.Contains(t, first.body, "There is nothing to compare with in the previous period.", "reports begin in 2000")
}

// rules.md, Bounds: a dashboard takes one place at a time, so that many at once wait for one another and none for itself.
func TestManyDashboardsAtOnce(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	paths := []string{o.at("/reports/%s", w.played(o)), o.at("/reports/%s", w.fork(o).ID)} // of one fork the last play is looked for
	b := w.signedIn(t, o.owner)
	const many = 12
	answers := make(chan string, many)
	for i := range many {
		go func() { answers <- fmt.Sprint(b.get(paths[i%2]).StatusCode) }()
	}
	for range many {
		require.Equal(t, "200", <-answers)
	}
	for name, limit := range w.figures.Limiters() {
		require.Eventually(t, func() bool { return limit.Stats().Running == 0 }, 5*time.Second, 5*time.Millisecond, name)
	}
}

// Without plays in the period the page leads to the last ones: of all players, never of a group.
func TestEmptyPeriodOffersTheLastPlays(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	fork, never := w.fork(o), w.fork(o)
	w.db.Players(o.ID, 3)
	w.db.Plays(fork, 3, time.Date(2026, 3, 11, 23, 59, 0, 0, time.UTC), 0)
	b := w.signedIn(t, o.owner)
	p := b.get(o.at("/reports/%s?from=2026-10-01&to=2026-10-07&compare=off", fork.ID))
	link := regexpFind(t, `<a class="btn primary" href="([^"]*)">Show the last plays</a>`, p.body)
	require.Equal(t, o.at("/reports/%s?compare=off&amp;from=2026-03-05&amp;to=2026-03-11", fork.ID), link)
	require.Contains(t, b.get(html.UnescapeString(link)).body, "<dt>Plays</dt><dd>3</dd>")
	require.NotContains(t, b.get(o.at("/reports/%s", never.ID)).body, "Show the last plays")
	group := w.db.GroupNamed(o.ID, "Western region", w.db.Players(o.ID, 6)...)
	require.NotContains(t, b.get(o.at("/reports/%s?from=2026-10-01&to=2026-10-07&groupId=%s", fork.ID, group)).body, "last plays")
}

// What is unusual about a fork is said on its report, as in the list.
func TestDashboardSaysTheStateOfTheFork(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	b := w.signedIn(t, o.owner)
	for want, f := range map[string]fixtures.Fork{
		"": {Release: 1}, " held|Suspended": {Release: 1, Suspended: true}, "|Archived": {Release: 1, Status: "archived"}, "|Never deployed": {},
		" held|Suspended,|Never deployed": {Suspended: true},
	} {
		f.OrganisationID = o.ID
		states := cells(`<span class="state([^"]*)">([^<]*)</span>`, b.get(o.at("/reports/%s", w.db.Fork(f).ID)).body)
		got := []string{}
		for _, s := range states {
			got = append(got, strings.Join(s, "|"))
		}
		require.Equal(t, want, strings.Join(got, ","))
	}
}
