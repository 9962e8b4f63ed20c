package reports_test

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/reports"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
	"dg/web/ui"
)

func addPlayOfEach(w *webtest.World, fork testkit.Fork, at time.Time, players ...testkit.Player) {
	for _, p := range players {
		w.DB.AddPlay(testkit.Play{Fork: fork, Player: p, StartedAt: at})
	}
}

// The default period is the last 28 complete days. The preset of the current period is marked. Presets keep the group.
func TestDashboardMarksThePresetOfItsPeriod(t *testing.T) {
	now := time.Date(2026, 11, 21, 23, 59, 59, 0, time.UTC)
	w, o := webtest.StartAt(t, &now)
	fork := w.AddFork(o).ID
	group := w.DB.AddGroupNamed(o.ID, "Western region", w.DB.AddPlayers(o.ID, 6)...)
	b := w.SignIn(t, o.Owner)
	for query, want := range map[string][2]string{
		"":                               {"24 Oct to 20 Nov 2026", "28 days"},
		"?from=2025-11-21&to=2026-11-20": {"21 Nov 2025 to 20 Nov 2026", "12 months"},
		"?from=2026-10-01&to=2026-10-31": {"1 to 31 Oct 2026", "Last month"},
		"?from=2026-11-16&to=2026-11-21": {"16 to 21 Nov 2026", "This week"},
	} {
		p := b.Get(o.Path("/reports/%s%s", fork, query)).Is(t, 200)
		p.Has(t, `<span class="only-print">`+want[0]+" ·&nbsp;All&nbsp;players ·&nbsp;</span><span class=\"pill no-phone\">Pseudonymous</span></p>")
		marked := testkit.Submatches(`<a href="[^"]*" aria-current="true">([^<]*)</a>`, p.Body)
		require.Contains(t, marked, []string{want[1]}, query)
	}
	p := b.Get(o.Path("/reports/%s?groupId=%s", fork, group)).Has(t, `28 days <small>24 Oct to 20 Nov 2026</small>`,
		"24 Oct to 20 Nov 2026 ·&nbsp;<bdi>Western region</bdi> ·&nbsp;</span>"+
			"<span class=\"pill no-phone\">Pseudonymous</span></p>",
		`groupId=`+group+`&amp;to=2026-11-20" aria-current="true"><bdi>Western region</bdi>`,
		"This group’s figures are hidden", `href="/docs/figures#privacy"`) // no member played
	require.Equal(t, 13, strings.Count(p.Body, "&amp;groupId="+group), "periods and the group itself")
	begun := w.AddFork(o)
	w.DB.AddPlays(begun, 1, now, 0)
	b.Get(b.Get(o.Path("/reports/%s", begun.ID)).Link("Show 12 months")).Has(t, "1 person") // today included
}

// The dashboard shows its ids and its API request. Ids are compared without regard to case.
func TestDashboardShowsItsAPIRequest(t *testing.T) {
	w, o, b := webtest.StartAsOwner(t)
	fork := w.AddFork(o).ID
	group := w.DB.AddGroupNamed(o.ID, "Sales") // the group's figures are hidden, but not its id
	p := b.Get(o.Path("/reports/%s?from=2026-03-01&to=2026-03-31&groupId=%s",
		strings.ToUpper(fork), strings.ToUpper(group)))
	require.Contains(t, html.UnescapeString(p.Body), "curl -q -sS -G '"+w.BaseURL+"/api/v1/forks/"+fork+
		"/stats' \\\n  -d from=2026-03-01 -d to=2026-03-31 -d groupId="+group+
		" \\\n  -H @- <<<\"Authorization: Bearer $DG_KEY\"</code>")
	p.Has(t, `<code id="fork-id" translate="no">`+fork+`</code>`, `<code id="group-id" translate="no">`+group+`</code>`)
}

// If the period in the address is invalid, the page explains it and keeps the form. A misspelt parameter is refused.
func TestInvalidAddressOfAReportIsExplained(t *testing.T) {
	w, o, b := webtest.StartAsOwner(t)
	fork := w.AddFork(o).ID
	group := w.DB.AddGroupNamed(o.ID, "Western region", w.DB.AddPlayers(o.ID, 6)...)
	hostile := `"><script>alert(1)</script>`
	for query, want := range map[string][2]string{ // the message, and the invalid field
		"?from=2025-01-01&to=2026-11-21": {"The period has 690 days. Choose 366 days or fewer.", "to"},
		"?from=2026-11-21&to=2026-11-20": {"“To” (20 Nov 2026) is before “From” (21 Nov 2026).", "to"},
		"?from=2026-02-30&to=2026-11-20": {
			"“From” is not a date. Choose a date from 1 Jan 2000 to 31 Dec 2199.", "from"},
		"?from=2026-11-20": {"“To” is not a date.", "to"},
		"?to=2026-11-20&from=" + url.QueryEscape(hostile):             {"“From” is not a date.", "from"},
		"?to=%00&from=%FF%FE&groupId=" + url.QueryEscape(hostile+"'"): {"“From” is not a date.", "from"},
	} {
		p := b.Get(o.Path("/reports/%s%s", fork, query)).Is(t, 400).Has(t, want[0], "<title>Error: ", "Invalid period")
		p.Lacks(t, "<script>alert", "plays.csv")
		const field = `name="([^"]*)" type="date" [^>]* value="[^"]*" aria-invalid="true" aria-describedby="period-error"`
		require.Equal(t, [][]string{{want[1]}}, testkit.Submatches(field, p.Body), query)
		require.Less(t, len(p.Body), 12_000)
	}
	b.Get(o.Path("/reports/%s?from=2025-01-01&to=2026-11-21&groupId=%s", fork, group)).Has(t,
		`value="2025-01-01"`, `value="2026-11-21"`, `name="groupId" value="`+group+`"`)

	// If a misspelt group were ignored, the page would show the figures of all players.
	for _, query := range []string{
		"?group=" + group, "?groupid=" + group, "?GroupId=" + group, "?from=2026-03-01&to=2026-03-02&group_id=",
		"?%3Cb%3Egroup" + strings.Repeat("x", 2_000),
	} {
		for _, page := range []string{"", "/plays.csv"} {
			p := b.Get(o.Path("/reports/%s%s%s", fork, page, query)).Is(t, 400)
			p.Has(t, "in the address of this page is unknown. Use “groupId”.").Lacks(t, "<b>group")
			require.Less(t, len(p.Body), 10_000)
		}
	}
	b.Get(o.Path("/reports/%s?utm_source=mail&x", fork)).Is(t, 200)
}

// The reader chooses the compared period. Every link and form of the page keeps the choice.
func TestComparisonIsKeptInTheAddress(t *testing.T) {
	w, o, b := webtest.StartAsOwner(t)
	fork := w.AddFork(o)
	today := time.Now().UTC()
	w.DB.AddPlayers(o.ID, 3)
	for daysAgo, n := range map[int]int{0: 1, 1: 60, 28: 7, 29: 50, 365: 75} {
		w.DB.AddPlays(fork, n, today.AddDate(0, 0, -daysAgo), 0)
	}
	base := o.Path("/reports/%s", fork.ID)
	follow := func(p testkit.Page, name string) testkit.Page { return b.Get(p.Link(name)) }

	days := func(ago, n int) string {
		return ui.Period(reports.Period{From: today.AddDate(0, 0, -ago-n), Days: n})
	}
	b.Get(base+"?from="+today.AddDate(0, 0, -27).Format(time.DateOnly)+"&to="+
		today.Format(time.DateOnly)).Has(t, "Plays</a></dt><dd>61</dd>",
		`<b title="This change is small or may be chance"><span aria-hidden="true">▲</span><span class="sr">up</span> 20%</b> <span class="whole">60, was 50</span>`,
		`>Up to yesterday: `+days(0, 27)+", compared with "+days(28, 27)+"</p>")
	p := b.Get(base).Has(t, "Plays</a></dt><dd>67</dd>",
		`<b title="This change is small or may be chance"><span aria-hidden="true">▲</span><span class="sr">up</span> 34%</b> <span class="whole">was 50</span>`,
		`<path class="then"`, ">Compared with "+days(28, 28)+"</p>")
	year := follow(p, "52 weeks earlier").Has(t, days(364, 28)+"</p>", `aria-current="true">52 weeks earlier<`,
		"vs</span> 52 weeks earlier <small>"+days(364, 28), "as many as 52 weeks earlier (",
		`</span> 11%</b> <span class="whole">was 75</span>`, `<input type="hidden" name="compare" value="year">`)
	for _, link := range testkit.Submatches(`href="(`+base+`\?[^"]*)"[^>]*>([^<]*)<`, year.Body) {
		require.Equal(t, link[1] != "Previous period" && link[1] != "None",
			strings.Contains(link[0], "compare=year"), link)
	}
	hidden := follow(p, "None").Lacks(t, "was 50", "ompared with", `class="then"`)
	follow(hidden, "Previous period").Has(t, "was 50")
	b.Get(base+"?compare=off&compare=off").Is(t, 400)
	b.Get(o.Path("/reports")).Has(t, ">was 50", `<p class="lede only-print">`+days(0, 28)+" vs "+days(28, 28),
		`<p class="foot hint">Changes in grey are small or may be chance. Each report`)
}

// rules.md, Anonymity: if k-anonymity hides the compared period, the page equals that of a period without plays.
func TestHiddenComparedPeriodLooksLikeAnEmptyOne(t *testing.T) {
	w, o, b := webtest.StartAsOwner(t)
	fork := w.AddFork(o)
	players := w.DB.AddPlayers(o.ID, 9)
	group := w.DB.AddGroupNamed(o.ID, "Western region", players[:6]...)
	day := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	addPlayOfEach(w, fork, day, players...)
	const nothing = "There are no figures to compare with."
	for mode, before := range map[string]time.Time{"": day.AddDate(0, 0, -1), "year": day.AddDate(0, 0, -364)} {
		read := func() testkit.Page {
			p := b.Get(o.Path("/reports/%s?from=2026-03-11&to=2026-03-11&groupId=%s&compare=%s", fork.ID, group, mode))
			p.Body = strings.Replace(p.Body, " <small>6 players</small>", "", 1) // may be missing: hintTimeout
			return p
		}
		empty := read().Has(t, nothing).Lacks(t, `class="then"`).Body
		addPlayOfEach(w, fork, before, players[:4]...)
		require.Equal(t, empty, read().Body, "four of the group played")
		addPlayOfEach(w, fork, before, players[6:]...)
		require.Equal(t, empty, read().Body, "other players played")
		addPlayOfEach(w, fork, before, players[4])
		read().Has(t, `<b title="This change is small or may be chance"><span aria-hidden="true">▲</span><span class="sr">up</span> 20%</b> <span class="whole">was 5</span>`,
			`<path class="then"`)
	}
	today := time.Now().UTC()
	addPlayOfEach(w, fork, today.AddDate(0, 0, -29), players...)
	addPlayOfEach(w, fork, today.AddDate(0, 0, -1), players[:4]...)
	addPlayOfEach(w, fork, today, players...)
	path := o.Path("/reports/%s?from=%s&to=%s&groupId=%s", fork.ID,
		today.AddDate(0, 0, -27).Format(time.DateOnly), today.Format(time.DateOnly), group)
	b.Get(path).Has(t, "Plays</a></dt><dd>10</dd>", nothing) // the figures of the complete days are hidden
	addPlayOfEach(w, fork, today.AddDate(0, 0, -1), players[4])
	b.Get(path).Has(t, `<b title="This change is small or may be chance"><span aria-hidden="true">▼</span><span class="sr">down</span> 17%</b> <span class="whole">5, was 6</span>`)
	// Reports begin in 2000.
	b.Get(o.Path("/reports/%s?from=2000-01-01&to=2000-01-07", fork.ID)).Is(t, 200).Has(t, nothing)
}

// A dashboard holds one report slot at a time, so that concurrent dashboards cannot deadlock.
func TestConcurrentDashboardsDoNotDeadlock(t *testing.T) {
	w, o, b := webtest.StartAsOwner(t)
	paths := []string{o.Path("/reports/%s", w.AddPlayedFork(o)), o.Path("/reports/%s", w.AddFork(o).ID)}
	testkit.Concurrently(12, func(i int) { assert.Equal(t, 200, b.Get(paths[i%2]).StatusCode) })
}

// rules.md, Anonymity: a pseudonymous report, not the API, names groups that lack 1 to 4 of its players, but no player.
func TestReportWarnsOfGroupsThatLackFewPlayers(t *testing.T) {
	w, o, b := webtest.StartAsOwner(t)
	fork := w.AddFork(o)
	players := w.DB.AddPlayers(o.ID, 14)
	addPlayOfEach(w, fork, time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC), players[:12]...)
	sales := w.DB.AddGroupNamed(o.ID, "Sales", players[:9]...)
	w.DB.AddGroupNamed(o.ID, "Sales EU", players[:8]...)
	w.DB.AddGroupNamed(o.ID, "<Hidden>", players[8:13]...) // only four members played
	w.DB.AddGroupNamed(o.ID, "Half", players[:5]...)
	warnings := func(page string) (texts []string) {
		for _, c := range testkit.Submatches(`<li>(\w+ p[^<]* not in <bdi>[^<]*</bdi>: [^<]*)</li>`, page) {
			texts = append(texts, c[0])
		}
		return texts
	}
	period := "?from=2026-03-11&to=2026-03-11&groupId=" + sales
	var page string
	require.Eventually(t, func() bool { // on a busy machine the query may exceed hintTimeout
		page = b.Get(o.Path("/reports/%s%s", fork.ID, period)).Is(t, 200).Body
		return len(warnings(page)) > 0
	}, 20*time.Second, time.Millisecond)
	require.Equal(t, []string{
		"4 people in this report are not in <bdi>Half</bdi>: comparing the two reports shows these people’s results.",
		"1 person in this report is not in <bdi>Sales EU</bdi>: comparing the two reports shows that person’s results.",
	}, warnings(page))
	require.Contains(t, page, "change the groups until they differ by at least 5 people")
	require.Contains(t, page, "</details>\n<details class=\"compared warn no-print\" id=\"overlaps\">",
		"in the card of the figures, and not in print: what is printed is passed on")
	w.API(t, o)("/forks/"+fork.ID+"/stats"+period).Is(t, 200).Lacks(t, "Half", "Sales EU")
}

// rules.md, Anonymity: the menu has each group's number of players in this report, or marks the group as hidden.
func TestHiddenGroupsAreMarked(t *testing.T) {
	w, o, b := webtest.StartAsOwner(t)
	fork := w.AddFork(o)
	players := w.DB.AddPlayers(o.ID, 9)
	day := time.Date(2026, 3, 11, 23, 59, 0, 0, time.UTC)
	for i, p := range players[:5] {
		w.DB.AddPlay(testkit.Play{Fork: fork, Player: p, StartedAt: day})
		w.DB.AddPlay(testkit.Play{Fork: fork, Player: players[4+i], StartedAt: day.AddDate(0, 0, 1)})
		w.DB.AddPlay(testkit.Play{Fork: w.AddFork(o), Player: players[4+i], StartedAt: day})
	}
	w.DB.AddGroupNamed(o.ID, "All", players...)
	four := w.DB.AddGroupNamed(o.ID, "Four", players[1:]...)
	w.DB.AddGroupNamed(o.ID, "Idle", players[5:]...)
	other := w.AddOrganisation("other")
	w.DB.AddGroupNamed(other.ID, "Theirs", w.DB.AddPlayers(other.ID, 1)...)
	path := o.Path("/reports/%s?from=2026-03-11&to=2026-03-11", fork.ID)
	require.Eventually(t, func() bool { // on a busy machine the query may exceed hintTimeout
		page := b.Get(path).Lacks(t, "Theirs")
		played := testkit.Submatches(`<bdi>(\w+)</bdi> <small>([^<]*)</small></a>`, page.Body)
		return fmt.Sprint(played) == "[[All 5 players] [Four Hidden] [Idle Hidden]]"
	}, 10*time.Second, 10*time.Millisecond)
	b.Get(path+"&groupId="+four).Is(t, 200).Lacks(t, "<small>Hidden") // an empty report has no mark
}

// A pseudonymous report does not search names. A hidden name finds as little as any other text.
func TestSearchIgnoresHiddenNames(t *testing.T) {
	w, o, b := webtest.StartAsOwner(t)
	fork := w.AddFork(o)
	players := w.DB.AddPlayersNamed(o.ID, "ELODIE", "Mélodie")
	addPlayOfEach(w, fork, time.Now().AddDate(0, 0, -1), players...)
	playersMatching := func(search string) testkit.Page {
		return b.Get(o.Path("/reports/%s/players?player=%s", fork.ID, url.QueryEscape(search)))
	}
	hidden := playersMatching("ELODIE").Has(t, "0 of 2 players.")
	require.Equal(t, strings.ReplaceAll(playersMatching("NOBODY").Body, "NOBODY", "ELODIE"), hidden.Body)
	label := testkit.Query[string](w.DB, `select label from players where id = $1`, players[1].ID)
	found := testkit.Submatches(playerCells, playersMatching(strings.ToLower(label)).Has(t, "1 of 2 players.").Body)
	require.Equal(t, label, found[0][0])
}
