package reports_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// reported is an organisation with reports of every kind: played, empty and withheld.
func reported(w *webtest.World, mode string) (o *webtest.Organisation, fork, region, small string) {
	o = w.OrganisationOf(fixtures.Organisation{
		Slug: "halden-" + mode, Name: "Halden Water", ReportingMode: mode,
	})
	first := w.DB.Fork(fixtures.Fork{
		OrganisationID: o.ID, Title: "Spot the Outlier", Slug: "spot-the-outlier", Release: 7,
	})
	w.DB.Fork(fixtures.Fork{
		OrganisationID: o.ID, Title: "Reading Charts: what the axis does not say",
		Slug: "reading-charts", Suspended: true,
	})
	w.DB.Fork(fixtures.Fork{
		OrganisationID: o.ID, Title: "اختبار البيانات", Slug: "data-incident-first-hour",
		Status: "archived", Visibility: "restricted",
	})
	names := numbered(127)
	copy(names,
		[]string{
			"Ingrid Solheim",
			"Wolfeschlegelsteinhausenbergerdorff-Wolfeschlegelsteinhausenbergerdorff", "محمد علي",
			"O",
		})
	players := w.DB.PlayersNamed(o.ID, names...)
	region = w.DB.GroupNamed(o.ID, "Western region", players[100:]...)
	small = w.DB.GroupNamed(o.ID, "Graduate intake 2026", players[:3]...)
	random := rand.New(rand.NewPCG(13, 13))
	now := time.Now().UTC()
	randomPlays(w, random, 1300, 28, []fixtures.Fork{first}, players[:100], now)
	randomPlays(w, random, 3000, 365, []fixtures.Fork{first}, players[:100], now)
	return o, first.ID, region, small
}

// The reports as a manager goes through them: no violation of WCAG 2.2 A and AA, light and dark,
// and nothing that scrolls sideways on a phone, on every screen and state of the reports.
func TestReportsInABrowser(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	pseudonymous, fork, _, _ := reported(w, "pseudonymous")
	nominative, named, region, small := reported(w, "nominative")
	empty := w.Organisation("empty")

	p := browsertest.New(t)
	webtest.SignInWith(p, w, pseudonymous.Owner, pseudonymous.At("/reports"))
	p.Click(`a:text("Spot the Outlier")`)
	require.Equal(t, pseudonymous.At("/reports/%s", fork), p.Path())
	require.Equal(t, []string{"28 days"}, p.Texts(`nav[aria-label="Period"] a[aria-current]`))
	p.Click(`summary:text("Show as table")`)
	require.Equal(t, 28, p.Count("details tbody tr"))
	p.Click(`a:text("Next →")`)
	require.Contains(t, p.Text(".pager > span:first-child"), "16–30 of ")
	p.Click(`th a:text("Player")`)
	require.Equal(t, "ascending", p.Attr(`th:has(a[href*="sort=label"])`, "aria-sort"))
	p.Click(`a:text("12 months")`)
	require.Equal(t, []string{"12 months"}, p.Texts(`nav[aria-label="Period"] a[aria-current]`))

	p = browsertest.New(t)
	webtest.SignInWith(p, w, nominative.Owner, nominative.At("/reports/%s", named))
	webtest.LooksRight(t, p, "dashboard with names")
	p.Eval(fmt.Sprintf(`document.getElementById('group').value = %q`, region), nil)
	p.Click(`button:text("Apply")`)
	require.Contains(t, p.Text(".empty h2"), "This group’s figures are hidden",
		"an idle group looks like a small one")
	p.Eval(fmt.Sprintf(`document.getElementById('group').value = %q`, small), nil)
	p.Click(`button:text("Apply")`)
	require.Contains(t, p.Text(".empty h2"), "This group’s figures are hidden")
	p.Click(`a:text("Show all players")`)
	require.Equal(t, 5, p.Count(".figures > div"))
	p.Open(nominative.At("/reports/%s?from=2020-01-01&to=2020-01-31", named))
	require.Contains(t, p.Text(".empty h2"), "No plays in this period")
	p.Open(nominative.At("/reports/%s?from=2025-01-01&to=2026-11-21&groupId=%s", named, region))

	p = browsertest.New(t)
	webtest.SignInWith(p, w, empty.Owner, "/")
	require.Equal(t, empty.At("/reports"), p.Path())
	webtest.LooksRight(t, p, "no reports")
}

// Issue 31, 7: on a phone a fork takes two lines, its twelve weeks included, and the list can be
// sorted. On a desk its title stands on the line of its figures.
func TestForkTakesTwoLinesOnAPhone(t *testing.T) {
	t.Parallel()
	w, o := webtest.StartAcme(t)
	w.DB.Fork(fixtures.Fork{OrganisationID: o.ID, Title: "Spot the Outlier", Release: 7})
	p := browsertest.New(t)
	webtest.SignInWith(p, w, o.Owner, o.At("/reports"))
	var offset, height float64
	p.Eval(`(() => {
		const bottom = (e) => {
			const text = document.createRange();
			text.selectNodeContents(e);
			return text.getBoundingClientRect().bottom;
		};
		const row = document.querySelector('.forks tbody tr');
		return Math.abs(bottom(row.querySelector('th bdi')) - bottom(row.querySelector('td.n')));
	})()`, &offset)
	require.Less(t, offset, 0.5)
	p.Emulate(360, false)
	p.Eval(`document.querySelector('.forks tbody tr').offsetHeight`, &height)
	require.LessOrEqual(t, height, 90.0)
	require.Positive(t, p.Count(".forks .spark"))
	p.Click(`.forks thead a:text("Updated")`)
	require.Equal(t, "descending", p.Attr(`.forks th:has(a[href*="sort=updated"])`, "aria-sort"))
}
