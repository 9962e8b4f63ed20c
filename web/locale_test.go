package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// A report has the figures and dates of the reader's region. Commands and datetime attributes are the
// same in all.
func TestDashboardWritesNumbersAndDatesOfTheRegion(t *testing.T) {
	t.Parallel()
	w, o := webtest.StartAcme(t)
	fork := w.Fork(o)
	player := w.DB.Players(o.ID, 1)[0]
	plays := make([]fixtures.Play, 1235)
	at := time.Date(2026, 3, 11, 9, 30, 0, 0, time.UTC)
	for i := range plays {
		plays[i] = fixtures.Play{Fork: fork, Player: player, StartedAt: at}
		if i < 824 {
			plays[i].CompletedAt = at.Add(time.Minute)
			plays[i].Score = 6960
		}
	}
	w.DB.StorePlays(plays)
	b := w.SignedIn(t, o.Owner)
	for language, want := range map[string][]string{
		"": {
			"1 to 31 Mar 2026", "1,235", "69.6%", "66.7%", "Highest: 1,235 (Wed 11 Mar 2026).",
			"11 Mar 2026", "dmy", "24",
		},
		"de,en;q=0.5": {
			"1 to 31 Mar 2026", "1.235", "69,6\u00a0%", "66,7\u00a0%",
			"Highest: 1.235 (Wed 11 Mar 2026).", "11 Mar 2026", "dmy", "24",
		},
		"en-US,en": {
			"Mar 1 to 31, 2026", "1,235", "69.6%", "66.7%",
			"Highest: 1,235 (Wed, Mar 11, 2026).", "Mar 11, 2026", "mdy", "12",
		},
		"hu-HU,en;q=.1": {
			"2026 Mar 1 to 31", "1235", "69,6%", "66,7%", "Highest: 1235 (Wed 2026 Mar 11).",
			"2026 Mar 11", "ymd", "24",
		},
	} {
		p := b.In(language, o.At("/reports/%s?from=2026-03-01&to=2026-03-31", fork.ID)).Is(t, 200)
		figures := webtest.Cells(webtest.FigureCells, p.Body)
		require.Equal(t, []string{want[1], want[2], want[3]},
			[]string{figures[0][1], figures[2][1], figures[3][1]}, language)
		p.Has(t, `<p class="lede">`+want[0]+"&nbsp;· All&nbsp;players", want[4],
			`<time datetime="2026-03-11T09:30:00.000Z" data-local="day">`+want[5]+"</time>",
			`<html lang="en-GB" data-dates="`+want[6]+`" data-hours="`+want[7]+`">`,
			"-d from=2026-03-01 -d to=2026-03-31", `<time datetime="2026-03-11">`)
	}
}

// The script writes instants in the reader's zone, with the order and the clock of the region.
func TestInstantsAreLocalInTheOrderOfTheRegion(t *testing.T) {
	t.Parallel()
	w, o := webtest.StartAcme(t)
	w.NewKey(t, o, "BI", "forks:read")
	p := browsertest.New(t)
	p.SetTimezone("America/New_York")
	webtest.SignInWith(p, w, o.AdminPlain, "/account")
	w.DB.Exec(`update audit_entries set at = '2026-09-30T02:05:07Z' where org_id = $1`, o.ID)
	for language, want := range map[string]string{
		"en-GB": "29 Sep 2026, 22:05:07",
		"en-US": "Sep 29, 2026, 10:05:07 PM",
		"ja":    "2026 Sep 29, 22:05:07",
	} {
		p.SetLanguage(language)
		p.Open(o.At("/settings/audit-log"))
		require.Equal(t, want, strings.TrimSpace(p.Text("tbody tr:first-child time")), language)
	}
}

// The chosen region takes precedence over the browser's language, on every page and in every session,
// until it is reset.
func TestChosenRegionGoesBeforeTheBrowsers(t *testing.T) {
	t.Parallel()
	w, o := webtest.StartAcme(t)
	fork := w.Fork(o)
	b := w.SignedIn(t, o.Owner)
	report := o.At("/reports/%s?from=2026-03-01&to=2026-03-31", fork.ID)
	b.In("en-US", report).Has(t, "Mar 1 to 31, 2026")
	b.Get("/account").Has(t, `<option value="" selected>From your browser</option>`,
		`<option value="de-CH">Switzerland (German): 1&#39;234.5, 21 Nov 2026</option>`)

	b.Post("/account", url.Values{"region": {"hu-HU"}}).Is(t, 303)
	for _, browser := range []*webtest.Browser{b, w.SignedIn(t, o.Owner)} {
		browser.In("en-US", report).Has(t, "2026 Mar 1 to 31")
		browser.In("en-US", "/account").Has(t, `<option value="hu-HU" selected>`)
		browser.In("en-US", "/docs").Has(t, `data-dates="ymd"`)
	}
	w.SignedIn(t, o.Admin).In("en-US", report).Has(t, "Mar 1 to 31, 2026")
	for _, unknown := range []string{"xx", "hu-hu", "' or 1=1 --", strings.Repeat("x", 5000)} {
		b.Post("/account", url.Values{"region": {unknown}}).Is(t, 400)
	}
	b.In("en-US", report).Has(t, "2026 Mar 1 to 31")
	b.Post("/account", url.Values{"region": {""}})
	b.In("en-US", report).Has(t, "Mar 1 to 31, 2026")
}
