package reports_test

import (
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// The default period is the last 28 complete days. The preset of the shown period is marked. Presets keep the
// group.
func TestDashboardPeriodsAndPresets(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 23, 59, 59, 0, time.UTC)
	w, o := webtest.StartAt(t, &now)
	fork := w.Fork(o).ID
	group := w.DB.GroupNamed(o.ID, "Western region", w.DB.Players(o.ID, 6)...)
	b := w.SignedIn(t, o.Owner)
	for query, want := range map[string][2]string{
		"":                               {"24 Oct to 20 Nov 2026", "28 days"},
		"?from=2025-11-21&to=2026-11-20": {"21 Nov 2025 to 20 Nov 2026", "12 months"},
		"?from=2026-10-01&to=2026-10-31": {"1 to 31 Oct 2026", "Last month"},
		"?from=2026-11-16&to=2026-11-21": {"16 to 21 Nov 2026", "This week"},
	} {
		p := b.Get(o.At("/reports/%s%s", fork, query)).Is(t, 200)
		p.Has(t, `<span class="only-print">`+want[0]+" ·&nbsp;All&nbsp;players ·&nbsp;</span>Pseudonyms</p>")
		marked := testkit.Cells(`<a href="[^"]*" aria-current="true">([^<]*)</a>`, p.Body)
		require.Contains(t, marked, []string{want[1]}, query)
	}
	p := b.Get(o.At("/reports/%s?groupId=%s", fork, group)).Has(t, `</span>28 days <small>24 Oct to 20 Nov 2026</small></summary>`,
		"24 Oct to 20 Nov 2026 ·&nbsp;<bdi>Western region</bdi> ·&nbsp;</span>Pseudonyms</p>",
		`groupId=`+group+`&amp;to=2026-11-20" aria-current="true"><bdi>Western region</bdi>`,
		"This group’s figures are hidden", `href="/docs/figures#privacy"`) // as of a small one
	require.Equal(t, 13, strings.Count(p.Body, "&amp;groupId="+group), "periods and the group itself")
}

// The dashboard has the ids of its fork and group, and a command that reads its figures from the API.
// rules.md, Formats: identifiers are compared without regard to case.
func TestDashboardShowsItsCall(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Fork(o).ID
	group := w.DB.GroupNamed(o.ID, "Sales") // its figures are hidden, its id is not
	p := b.Get(o.At("/reports/%s?from=2026-03-01&to=2026-03-31&groupId=%s",
		strings.ToUpper(fork), strings.ToUpper(group)))
	require.Contains(t, html.UnescapeString(p.Body), "curl -sS -G '"+w.Base+"/api/v1/forks/"+fork+
		"/stats' \\\n  -d from=2026-03-01 -d to=2026-03-31 -d groupId="+group+
		" \\\n  -H @- <<<\"Authorization: Bearer $DG_KEY\"</code>")
	p.Has(t, `<code id="fork-id" translate="no">`+fork+`</code>`, `<code id="group-id" translate="no">`+group+`</code>`)
}

// An invalid period of an address is explained on the page, which keeps the form.
func TestInvalidPeriodOfAReportIsExplained(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Fork(o).ID
	group := w.DB.GroupNamed(o.ID, "Western region", w.DB.Players(o.ID, 6)...)
	hostile := `"><script>alert(1)</script>`
	for query, want := range map[string][2]string{ // the sentence, and the field at fault
		"?from=2025-01-01&to=2026-11-21": {"The period has 690 days. Choose 366 days or fewer.", "to"},
		"?from=2026-11-21&to=2026-11-20": {"“To” (20 Nov 2026) is before “From” (21 Nov 2026).", "to"},
		"?from=2026-02-30&to=2026-11-20": {
			"“From” is not a date. Choose a date from 1 Jan 2000 to 31 Dec 2199.", "from",
		},
		"?from=2026-11-20": {"“To” is not a date.", "to"},
		"?to=2026-11-20&from=" + url.QueryEscape(hostile): {"“From” is not a date.", "from"},
		"?to=%00&from=%FF%FE&groupId=" +
			url.QueryEscape(hostile+"'"): {"“From” is not a date.", "from"},
	} {
		p := b.Get(o.At("/reports/%s%s", fork, query)).Is(t, 400)
		p.Has(t, want[0], "<title>Error: ", "Invalid period")
		p.Lacks(t, "<script>alert", "plays.csv")
		require.Equal(t, [][]string{{want[1]}}, testkit.Cells(
			`name="([^"]*)" type="date" [^>]* value="[^"]*" aria-invalid="true" aria-describedby="period-error"`,
			p.Body), query)
		require.Less(t, len(p.Body), 12_000)
	}
	b.Get(o.At("/reports/%s?from=2025-01-01&to=2026-11-21&groupId=%s", fork, group)).Has(t,
		`value="2025-01-01"`, `value="2026-11-21"`,
		`name="groupId" value="`+group+`"`)
}

// A misspelt group is refused: ignored, it would show the figures of all players.
func TestMisspeltGroupIsRefused(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Fork(o).ID
	group := w.DB.GroupNamed(o.ID, "Western region", w.DB.Players(o.ID, 6)...)
	for _, query := range []string{
		"?group=" + group, "?groupid=" + group, "?from=2026-03-01&to=2026-03-02&group_id=",
		"?%3Cb%3Egroup" + strings.Repeat("x", 2_000),
	} {
		for _, page := range []string{"", "/plays.csv"} {
			p := b.Get(o.At("/reports/%s%s%s", fork, page, query)).Is(t, 400)
			p.Has(t, "in the address of this page is unknown. Use “groupId”.").Lacks(t, "<b>group")
			require.Less(t, len(p.Body), 10_000)
		}
	}
	b.Get(o.At("/reports/%s?utm_source=mail&x", fork)).Is(t, 200)
}
