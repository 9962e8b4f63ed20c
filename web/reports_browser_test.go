package web_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
)

// signInWith signs somebody in by the form, and goes on to a path.
func signInWith(p *browsertest.Page, w *world, who person, path string) {
	p.Open(w.url + "/sign-in")
	p.Fill("#email", who.email)
	p.Fill("#password", who.password)
	p.Click("main button")
	p.WaitFor("header.top")
	p.Open(w.url + path)
}

// played is an organisation with reports of every kind: played, empty and withheld.
func played(mode string) (o *organisation, fork, region, small string) {
	o = newOrganisation("halden-" + mode)
	o.name, o.mode = "Halden Water", mode
	fork = o.withFork()
	second, archived := o.withFork(), o.withFork()
	o.change(fork, map[string]any{"title": "Spot the Outlier", "slug": "spot-the-outlier", "deployedReleaseNumber": 7})
	o.change(second, map[string]any{"title": "Reading Charts: what the axis does not say", "slug": "reading-charts", "deployedReleaseNumber": nil, "visibility": "public", "suspended": true})
	o.change(archived, map[string]any{"title": "اختبار البيانات", "slug": "data-incident-first-hour", "status": "archived", "visibility": "restricted"})
	names := numbered(127)
	copy(names, []string{"Ingrid Solheim", "Wolfeschlegelsteinhausenbergerdorff-Wolfeschlegelsteinhausenbergerdorff", "محمد علي", "O"})
	players := o.withPlayers(names...)
	region, small = o.withGroup("Western region", players[100:]...), o.withGroup("Graduate intake 2026", players[:3]...)
	random, now := rand.New(rand.NewPCG(13, 13)), time.Now().UTC()
	o.withRandomPlays(random, 1300, 28, []string{fork}, players[:100], now)
	o.withRandomPlays(random, 3000, 365, []string{fork}, players[:100], now)
	return o, fork, region, small
}

// The reports as a manager goes through them: no violation of WCAG 2.2 A and AA, light and dark, and nothing
// that scrolls sideways on a phone, on every screen and state of the reports.
func TestReportsInABrowser(t *testing.T) {
	t.Parallel()
	w := start(t)
	pseudonymous, fork, _, _ := played("pseudonymous")
	nominative, named, region, small := played("nominative")
	empty := newOrganisation("empty")
	w.load(t, pseudonymous, nominative, empty)

	p := browsertest.New(t)
	signInWith(p, w, pseudonymous.owner, pseudonymous.at("/reports"))
	looksRight(t, p, "reports")
	p.Click(`a:text("Spot the Outlier")`)
	require.Equal(t, pseudonymous.at("/reports/%s", fork), p.Path())
	require.Equal(t, []string{"28 days"}, p.Texts(`.presets a[aria-current]`))
	p.Click("summary")
	require.Equal(t, 28, p.Count("details tbody tr"))
	looksRight(t, p, "dashboard")
	p.Click(`a:text("Next →")`)
	require.Contains(t, p.Text(".pager > span:first-child"), "26–50 of ")
	p.Click(`th a:text("Player")`)
	require.Equal(t, "ascending", p.Attr(`th:has(a[href*="sort=label"])`, "aria-sort"))
	p.Click(`a:text("12 months")`)
	require.Equal(t, []string{"12 months"}, p.Texts(`.presets a[aria-current]`))
	looksRight(t, p, "dashboard of a year")

	p = browsertest.New(t)
	signInWith(p, w, nominative.owner, nominative.at("/reports/%s", named))
	looksRight(t, p, "dashboard with names")
	p.Eval(fmt.Sprintf(`document.getElementById('group').value = %q`, region), nil)
	p.Click(`button:text("Apply")`)
	require.Contains(t, p.Text(".empty h2"), "This group’s figures are hidden", "an idle group looks like a small one")
	p.Eval(fmt.Sprintf(`document.getElementById('group').value = %q`, small), nil)
	p.Click(`button:text("Apply")`)
	require.Contains(t, p.Text(".empty h2"), "This group’s figures are hidden")
	looksRight(t, p, "hidden dashboard")
	p.Click(`a:text("Show all players")`)
	require.Equal(t, 5, p.Count(".figures > div"))
	p.Open(nominative.at("/reports/%s?from=2020-01-01&to=2020-01-31", named))
	require.Contains(t, p.Text(".empty h2"), "No plays in this period")
	looksRight(t, p, "empty dashboard")
	p.Open(nominative.at("/reports/%s?from=2025-01-01&to=2026-11-21&group=%s", named, region))
	looksRight(t, p, "dashboard of a wrong period")

	p = browsertest.New(t)
	signInWith(p, w, empty.owner, "/")
	require.Equal(t, empty.at("/reports"), p.Path())
	looksRight(t, p, "no reports")
}
