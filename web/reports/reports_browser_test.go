package reports_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// Names of any length and direction leave a dashboard and the list of forks accessible and no wider
// than a phone. There a fork takes two lines, its twelve weeks included, and the list can be sorted.
// On a desk its title is on the line of its figures.
func TestReportsInABrowser(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.OrganisationOf(testkit.Organisation{Slug: "acme", ReportingMode: "nominative"})
	fork := w.DB.Fork(testkit.Fork{OrganisationID: o.ID, Title: "Spot the Outlier", Release: 7})
	w.DB.Fork(testkit.Fork{
		OrganisationID: o.ID, Title: "Reading Charts: what the axis does not say", Suspended: true,
	})
	w.DB.Fork(testkit.Fork{OrganisationID: o.ID, Title: "اختبار البيانات", Visibility: "restricted"})
	names := numbered(40)
	copy(names, []string{strings.Repeat("Wolfeschlegelsteinhausen", 3), "محمد علي", "O"})
	randomPlays(w, rand.New(rand.NewPCG(13, 13)), 1300, 28, []testkit.Fork{fork},
		w.DB.PlayersNamed(o.ID, names...), time.Now().UTC())
	p := browsertest.New(t)
	webtest.SignInWith(p, w, o.Owner, o.At("/reports/%s", fork.ID))
	webtest.LooksRight(t, p, "dashboard with names")

	p.Open(o.At("/reports"))
	webtest.LooksRight(t, p, "reports")
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
	p.Emulate(360, browsertest.Light)
	p.Eval(`document.querySelector('.forks tbody tr').offsetHeight`, &height)
	require.LessOrEqual(t, height, 90.0)
	require.Positive(t, p.Count(".forks .spark"))
	p.Click(`.forks thead a:text("Updated")`)
	require.Equal(t, "descending", p.Attr(`.forks th:has(a[href*="sort=updated"])`, "aria-sort"))

	empty := w.Organisation("empty")
	p = browsertest.New(t)
	webtest.SignInWith(p, w, empty.Owner, "/")
	require.Equal(t, empty.At("/reports"), p.Path())
	webtest.LooksRight(t, p, "no reports")
}
