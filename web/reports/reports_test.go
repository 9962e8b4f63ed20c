package reports_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
	"dg/web/ui"
)

const forkCells = `<a href="([^"]*)" title="[^"]*"><bdi class="cut">([^<]*)</bdi></a></th>` +
	`<td role="cell" data-label="12 weeks">(?:<svg class="spark" role="img" aria-label=")?([^"<]*)(?:"[^>]*><path[^>]*></svg>)?</td>` +
	`<td role="cell" class="n" data-label="Plays">([^<]*)</td><td role="cell" class="n change" data-label="Change">(?:–|<b.*?</b>|0%)</td>` +
	`<td role="cell" class="n" data-label="Players">([^<]*)</td><td role="cell" class="n" data-label="Score">([^<]*)</td>` +
	`<td role="cell" class="n" data-label="Pass rate">([^<]*)</td>` +
	`<td role="cell" data-label="Status"><span class="state([^"]*)">([^<]*)(?:<span class="only-phone">, no plays</span>)?</span></td>`

func inWeeks(last time.Time, plays string) string {
	return "Plays in each of the 12 weeks until " + ui.Day(last) + ": " + plays
}

// The list has only the organisation's forks, those with the most plays first. A search finds forks by title.
func TestReportsListForksByPlays(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	other := w.AddOrganisation("other")
	empty := w.AddOrganisation("empty")
	fork := func(title, status string, suspended bool) testkit.Fork {
		return w.DB.AddFork(testkit.Fork{OrganisationID: acme.ID, Title: title, Status: status, Suspended: suspended})
	}
	archived := fork("Old", "archived", true)
	quiet := fork("Quiet", "", false)
	busy := fork("<b>Busy</b>", "", false)
	held := fork("Held", "", true)
	players := w.DB.AddPlayers(acme.ID, 2)
	last := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
	for i := range 3 {
		at := last.Add(time.Duration(i) * time.Millisecond)
		w.DB.AddPlay(testkit.Play{Fork: busy, Player: players[i/2], StartedAt: at})
	}
	first := last.AddDate(0, 0, -27)
	for fork, at := range map[testkit.Fork]time.Time{held: first, archived: last} {
		w.DB.AddPlay(testkit.Play{Fork: fork, Player: players[0], StartedAt: at, CompletedAt: at})
	}
	w.DB.AddPlay(testkit.Play{Fork: held, Player: players[1], StartedAt: first.Add(-time.Millisecond)})
	w.AddPlayedFork(other)

	b := w.SignIn(t, acme.Admin)
	p := b.Get(acme.Path("/reports")).Is(t, 200)
	address := func(f testkit.Fork) string { return acme.Path("/reports/%s", f.ID) }
	require.Equal(t, [][]string{
		{address(busy), "<b>Busy</b>", inWeeks(last, "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3"), "3", "2", "–", "–", " on",
			"Active"},
		{address(held), "Held", inWeeks(last, "0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0"), "1", "1", "0.0%", "0.0%", " held",
			"Suspended"},
		{address(archived), "Old", inWeeks(last, "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1"), "1", "1", "0.0%", "0.0%",
			" past", "Archived"},
		{address(quiet), "Quiet", "No plays", "0", "0", "–", "–", "", "Active"},
	}, testkit.Submatches(forkCells, p.Body))
	p.Has(t, "Players<small> counted once</small>").Lacks(t, "Next →")
	require.Equal(t, [][]string{{"Plays", "5"}, {"Players", "2"}, {"Pass rate", "0.0%"}},
		testkit.Submatches(webtest.FigureCells, p.Body), "over all forks, the archived too")

	p = b.Get(acme.Path("/reports?q=BUSY")).Has(t, "1 of 4 reports.")
	require.Equal(t, "<b>Busy</b>", testkit.Submatches(forkCells, p.Body)[0][1])
	b.Get(acme.Path("/reports?q=none+of+them")).Has(t, "No report matches “<bdi>none of them</bdi>”</h2>")
	w.SignIn(t, empty.Owner).Get(empty.Path("/reports")).Is(t, 200).Has(t, "<h2>No reports yet</h2>").Lacks(t, "<table")
}

// The list has the menus of the report. Its period and comparison go on to the reports and back. It counts complete
// days, and compares as many of the period before.
func TestListTakesThePeriodOfTheReport(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	fork := w.AddFork(acme)
	w.AddFork(acme)
	player := w.DB.AddPlayers(acme.ID, 1)[0]
	for day, plays := range map[string]int{"2026-03-01": 1, "2026-03-31": 2, "2026-02-01": 4, "2026-02-28": 8,
		"2025-03-02": 16, "2025-03-30": 32, "2026-01-31": 64, "2026-04-01": 128, "2025-03-31": 256} {
		at, _ := time.Parse(time.DateOnly, day)
		for i := range plays {
			w.DB.AddPlay(testkit.Play{Fork: fork, Player: player, StartedAt: at.Add(time.Duration(i) * time.Second)})
		}
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	w.DB.AddPlay(testkit.Play{Fork: fork, Player: player, StartedAt: today}) // in no complete day
	b := w.SignIn(t, acme.Admin)
	list, report := acme.Path("/reports"), acme.Path("/reports/%s", fork.ID)
	const march = "from=2026-03-01&to=2026-03-31"
	for query, change := range map[string]string{
		march: "was 12<", "compare=year&" + march: "was 304<", "compare=off&" + march: "",
	} {
		p := b.Get(list+"?"+query+"&q=&sort=players").Is(t, 200).Has(t, change)
		row := testkit.Submatches(forkCells, p.Body)[1]
		require.Equal(t, []string{report + "?" + query, inWeeks(time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC),
			"0, 0, 0, 68, 0, 0, 0, 9, 0, 0, 0, 2"), "3", "1"}, []string{row[0], row[2], row[3], row[4]})
		if change == "" {
			p.Lacks(t, "was ", "Before")
		}
		back := testkit.Submatches(`<a class="back" href="([^"]*)"`, b.Get(row[0]).Has(t, change).Body)
		require.Equal(t, [][]string{{list + "?" + query}}, back)
	}
	untilToday := func(days int) string {
		p := reports.NewPeriod(today.AddDate(0, 0, 1-days), today)
		return "?from=" + p.Day(0) + "&to=" + p.Day(days-1)
	}
	complete := reports.NewPeriod(today.AddDate(0, 0, -2), today.AddDate(0, 0, -1))
	p := b.Get(list+untilToday(3)).Is(t, 200).Has(t, ui.Period(complete))
	require.Equal(t, "0", testkit.Submatches(forkCells, p.Body)[0][3])
	b.Get(list+untilToday(1)).Is(t, 400).Has(t, "Choose days before today.", `aria-describedby="period-error"`).
		Lacks(t, "<table")
	b.Get(b.Get(report+untilToday(1)+"&compare=year").Link("← ")).Is(t, 200).Has(t, `name="compare" value="year"`)
	b.Get(list+"?from=2026-02-30&to=2026-03-01").Is(t, 400).Has(t, "“From” is not a date.", `value="2026-02-30"`)
	b.Get(list).Has(t, `aria-current="true">28 days</a>`).Lacks(t, ">Today</a>")
}

// Pages show titles and names as text. Files contain no formulas.
func TestReportsEscapeHostileNames(t *testing.T) {
	w := webtest.Start(t)
	names := []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`,
		`=HYPERLINK("http://evil.example","x")`, "\u202egnp.exe\u2066", `{{.CSRF}}`, `</title></select></option><b>`,
		strings.Repeat("W", 200), "javascript:alert(1)", "' onload='x", "日本語 — Ünïcödé 🎲"}
	o := w.StoreOrganisation(testkit.Organisation{Slug: "acme", Name: names[0], ReportingMode: "nominative"})
	players := w.DB.AddPlayersNamed(o.ID, append(slices.Clone(names), playerNames(5)...)...)
	forks, groups := make([]string, len(names)), make([]string, len(names))
	for i, name := range names {
		fork := w.DB.AddFork(testkit.Fork{OrganisationID: o.ID, Title: name, Slug: fmt.Sprintf("%.190s %d", name, i)})
		forks[i] = fork.ID
		groups[i] = w.DB.AddGroupNamed(o.ID, name, players...)
		w.DB.AddPlays(fork, len(players), time.Now().AddDate(0, 0, -1), 0)
		w.DB.AddPlays(fork, len(players), time.Now().AddDate(0, 0, -40), 0)
		if i == 3 { // a name that would turn "300" into "003"
			w.DB.AddPlays(fork, 300, time.Now().AddDate(0, 0, -1), 0)
		}
	}
	b := w.SignIn(t, o.Owner)
	markup := []string{"<script>a", "<img", "<b>", `href="javascript:`}
	list := b.Get(o.Path("/reports")).Lacks(t, markup...).
		Has(t, "<strong><bdi>"+names[3]+"</bdi></strong></a> gained the most plays: 300.")
	for i, name := range names {
		p := b.Get(o.Path("/reports/%s?groupId=%s", forks[i], groups[i])).Is(t, 200).Lacks(t, markup...)
		page := b.Get(o.Path("/reports/%s/players?sort=label&groupId=%s", forks[i], groups[i])).Lacks(t, markup...)
		require.Equal(t, [][]string{{name}}, testkit.Submatches(`<h1><bdi>([^<]*)</bdi></h1>`, p.Body),
			"the title, isolated")
		require.Equal(t, [][]string{{name}}, testkit.Submatches("<title>\u2068([^<]*)\u2069, ", p.Body))
		require.Equal(t, [][]string{{name}}, testkit.Submatches(`<p class="lede[^"]*"><span class="only-print">[^<]*`+
			`<bdi>([^<]*)</bdi> ·&nbsp;</span><span class="pill no-phone">Nominative</span></p>`, p.Body), "the group, isolated")
		require.Contains(t, fmt.Sprint(testkit.Submatches(playerCells, page.Body)), name)
		require.Contains(t, fmt.Sprint(testkit.Submatches(forkCells, list.Body)), name)
		csv := b.Get(o.Path("/reports/%s/plays.csv?groupId=%s", forks[i], groups[i])).Is(t, 200)
		require.Regexp(t, `^attachment; filename="[A-Za-z0-9_-]{1,80}_[0-9-]{10}_[0-9-]{10}_group-[0-9a-f-]{36}\.csv"$`,
			csv.Header.Get("Content-Disposition"))
		require.NotRegexp(t, `(?m)(^|,)"?=`, csv.Body, "a formula begins a cell")
	}
}

// Each fork with plays links to the groups of its report, if the organisation has groups.
func TestForksWithPlaysLinkToGroups(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	w.DB.AddGroupNamed(w.AddOrganisation("other").ID, "Theirs")
	played := w.AddPlayedFork(acme)
	w.AddFork(acme)
	b := w.SignIn(t, acme.Admin)
	b.Get(acme.Path("/reports")).Lacks(t, "Groups: ")
	w.DB.AddGroupNamed(acme.ID, "Night shift", w.DB.AddPlayers(acme.ID, 2)...)
	const byGroup = `<a class="alone" href="([^"]*)" aria-label="Groups: [^"]+">Groups</a>`
	require.Equal(t, [][]string{{acme.Path("/reports/%s#groups", played)}},
		testkit.Submatches(byGroup, b.Get(acme.Path("/reports")).Lacks(t, "Night shift").Body))
	b.Get(acme.Path("/reports/%s", played)).Has(t, `<ul id="groups">`, "<bdi>Night shift</bdi>").Lacks(t, "Theirs")
}

// The download has the bytes of the API's export, in both modes. The audit log names the person.
func TestDownloadEqualsTheAPIExport(t *testing.T) {
	w := webtest.Start(t)
	random := rand.New(rand.NewPCG(7, 7))
	now := time.Now().UTC()
	from := now.AddDate(0, 0, -30).Format(time.DateOnly)
	days := "from=" + from + "&to=" + now.Format(time.DateOnly)
	for _, mode := range []string{"pseudonymous", "nominative"} {
		o := w.StoreOrganisation(testkit.Organisation{Slug: mode, ReportingMode: mode})
		fork := w.AddFork(o)
		names := playerNames(30)
		copy(names, []string{"=1+1", `a "quoted", name`, "@x", "\u202eevil"})
		players := w.DB.AddPlayersNamed(o.ID, names...)
		randomPlays(w, random, 900, 40, []testkit.Fork{fork}, players, now)
		get := w.API(t, o)
		b := w.SignIn(t, o.Admin)
		for i, group := range []string{
			"", "&groupId=" + w.DB.AddGroup(o.ID, players[:4]...), "&groupId=" + w.DB.AddGroup(o.ID, players[:20]...),
		} {
			want := get("/forks/" + fork.ID + "/exports/csv?" + days + group)
			got := b.Get(o.Path("/reports/%s/plays.csv?%s", fork.ID, days+group)).Is(t, 200)
			require.Equal(t, want.Body, got.Body)
			require.Equal(t, i == 1, strings.Count(got.Body, "\n") == 1)
			for _, name := range []string{
				"Content-Type", "Content-Disposition", "Cache-Control", "X-Dg-Report-Suppressed",
			} {
				require.Equal(t, want.Header.Get(name), got.Header.Get(name), name)
			}
			w.ExportsOf(t, o, 2*i+2) // the server records an export's end after its last byte
		}
		person := audit.Actor{Kind: audit.Person, ID: o.Admin.ID, Name: o.Admin.Name}
		entryCount := 0
		for _, e := range w.ExportsOf(t, o, 6) {
			if e.Actor == person {
				entryCount++
				require.Equal(t, audit.Target{Kind: "fork", ID: fork.ID}, e.Target)
				require.Equal(t, o.Path("/reports/%s/plays.csv", fork.ID), e.Request.Path)
			}
		}
		require.Equal(t, 6, entryCount, "three starts and three ends")
	}
}

// An invalid download gets a page with advice, and no log entry. Both formats of a valid one have one file name.
func TestDownloadHasTheChosenFormatOrIsRejected(t *testing.T) {
	w, o, b := webtest.StartAsOwner(t)
	other := w.AddOrganisation("other")
	fork := w.AddPlayedFork(o)
	for path, want := range map[string]string{
		w.AddFork(other).ID + "/plays.csv?from=x":                             "Fork not found",
		fork + "/plays.csv?from=2026-01-01&to=x&groupId=nobody":               "“To” is not a date",
		fork + "/plays.csv?from=2025-01-01&from=2025-01-01":                   "is repeated",
		fork + "/plays.csv?groupId=" + w.DB.AddGroupNamed(other.ID, "theirs"): "Group not found",
		fork + "/plays.csv?format=xlsx":                                       "The format is unknown.",
	} {
		p := b.Get(o.Path("/reports/%s", path)).Has(t, want).Lacks(t, other.Name)
		require.Contains(t, p.Header.Get("Content-Type"), "text/html", path)
	}
	require.Empty(t, w.ExportsOf(t, o, 0))

	plain := b.Get(o.Path("/reports/%s/plays.csv?format=", fork))
	excel := b.Get(o.Path("/reports/%s/plays.csv?format=excel-semicolon", fork)).Is(t, 200)
	require.True(t, strings.HasPrefix(excel.Body, "\uFEFFplayId;forkId;"), "%.40q", excel.Body)
	require.Equal(t, strings.Count(plain.Body, "\n"), strings.Count(excel.Body, "\n"))
	require.Equal(t, plain.Header.Get("Content-Disposition"), excel.Header.Get("Content-Disposition"))
}
