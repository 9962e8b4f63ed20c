package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// The figures of one report in four regions, to the digit. Addresses, ids, commands and datetime
// attributes are the same in all.
func TestDashboardWritesNumbersAndDatesOfTheRegion(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.Organisation("acme")
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
		p := b.In(language, o.At("/reports/%s?from=2026-03-01&to=2026-03-31", fork.ID))
		require.Equal(t, http.StatusOK, p.StatusCode)
		require.Contains(t, p.Body, `<p class="lede">`+want[0]+"&nbsp;· All&nbsp;players", language)
		figures := webtest.Cells(webtest.FigureCells, p.Body)
		require.Equal(t, []string{want[1], want[2], want[3]},
			[]string{figures[0][1], figures[2][1], figures[3][1]}, language)
		require.Contains(t, p.Body, want[4], language)
		require.Contains(t, p.Body,
			`<time datetime="2026-03-11T09:30:00.000Z" data-local="day">`+want[5]+"</time>",
			language)
		require.Contains(t, p.Body,
			`<html lang="en-GB" data-dates="`+want[6]+`" data-hours="`+want[7]+`">`,
			"the words are English in each")
		require.Contains(t, p.Body, "-d from=2026-03-01 -d to=2026-03-31", "commands are the same")
		require.Contains(t, p.Body, `<time datetime="2026-03-11">`)
	}
}

// The script writes instants in the reader's zone, with the order and the clock of the region.
func TestInstantsAreLocalInTheOrderOfTheRegion(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.Organisation("acme")
	w.NewKey(t, o, "BI", "forks:read")
	p := browsertest.New(t)
	p.SetTimezone("America/New_York")
	webtest.SignInWith(p, w, o.AdminPlain, "/account")
	w.DB.Exec(`update audit_entries set at = '2026-09-30T02:05:07Z' where org_id = $1`, o.ID)
	for language, want := range map[string]string{
		"en-GB": "29 Sep 2026, 22:05:07",
		"en-US": "Sep 29, 2026, 10:05:07 PM",
		"sv-SE": "29 Sep 2026, 22:05:07",
		"ja":    "2026 Sep 29, 22:05:07",
	} {
		p.SetLanguage(language)
		p.Open(o.At("/settings/audit-log"))
		require.Equal(t, want, strings.TrimSpace(p.Text("tbody tr:first-child time")), language)
	}
}

// The choice goes before the browser's language, on every page and in every session, until it is
// taken back.
func TestChosenRegionGoesBeforeTheBrowsers(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.Organisation("acme")
	fork := w.Fork(o)
	b := w.SignedIn(t, o.Owner)
	report := o.At("/reports/%s?from=2026-03-01&to=2026-03-31", fork.ID)
	require.Contains(t, b.In("en-US", report).Body, "Mar 1 to 31, 2026")
	require.Contains(t, b.Get("/account").Body,
		`<option value="" selected>From your browser</option>`)
	require.Contains(t, b.Get("/account").Body,
		`<option value="de-CH">Switzerland (German): 1&#39;234.5, 21 Nov 2026</option>`)

	require.Equal(t, http.StatusSeeOther,
		b.Post("/account", url.Values{"region": {"hu-HU"}}).StatusCode)
	for _, browser := range []*webtest.Browser{b, w.SignedIn(t, o.Owner)} {
		require.Contains(t, browser.In("en-US", report).Body, "2026 Mar 1 to 31")
		require.Contains(t, browser.In("en-US", "/account").Body, `<option value="hu-HU" selected>`)
		require.Contains(t, browser.In("en-US", "/docs").Body, `data-dates="ymd"`)
	}
	require.Contains(t, w.SignedIn(t, o.Admin).In("en-US", report).Body, "Mar 1 to 31, 2026",
		"somebody else's page")
	for _, unknown := range []string{"xx", "hu-hu", "' or 1=1 --", strings.Repeat("x", 5000)} {
		require.Equal(t, http.StatusBadRequest,
			b.Post("/account", url.Values{"region": {unknown}}).StatusCode)
	}
	require.Contains(t, b.In("en-US", report).Body, "2026 Mar 1 to 31", "nothing was changed")
	b.Post("/account", url.Values{"region": {""}})
	require.Contains(t, b.In("en-US", report).Body, "Mar 1 to 31, 2026")
}
