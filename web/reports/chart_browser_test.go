package reports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// Arrow keys, pointer and touch select a bar. The page shows and announces the bar's values.
func TestChartIsReadByKeysPointerAndTouch(t *testing.T) {
	w, o := webtest.StartAcme(t)
	fork := w.AddFork(o)
	w.DB.AddPlayers(o.ID, 1)
	for day := range 10 { // the n-th of March has n plays
		w.DB.AddPlays(fork, day+1, time.Date(2026, 3, 1+day, 9, 0, 0, 0, time.UTC), 0)
	}
	const cursor = ".plot .cursor"
	p := browsertest.New(t)
	requireReadout := func(day int, how string) {
		date := time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC).Format("Mon 2 Jan 2006")
		values := fmt.Sprintf("%s, Plays: %d", date, day)
		require.Equal(t, values, p.Attr(cursor, "aria-valuetext"), how)
		require.Equal(t, values, p.Text(".readout"), how)
		require.Equal(t, fmt.Sprint(day), p.Attr(cursor, "aria-valuenow"), how)
		require.Equal(t, fmt.Sprint(100*(day-1)), p.Attr(".plot rect.at", "x"), how)
	}
	webtest.SignInWith(p, w, o.Owner, o.Path("/reports/%s?from=2026-03-01&to=2026-03-10", fork.ID))
	require.Zero(t, p.Count(".readout:not(:empty)"), "nothing is read yet")

	x, y := p.PointOf(cursor, .35)
	browsertest.Do(p, "point", chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	requireReadout(4, "pointer")
	p.Click(cursor)
	p.Press(kb.Home)
	requireReadout(1, "Home")
	p.Press(kb.ArrowLeft)
	requireReadout(1, "not before the first day")
	p.Press(kb.ArrowRight, kb.ArrowUp)
	requireReadout(3, "two days on")
	p.Press(kb.ArrowDown)
	requireReadout(2, "one day back")
	p.Press(kb.End, kb.ArrowRight)
	requireReadout(10, "not after the last day")
	p.Press(kb.ArrowLeft)
	requireReadout(9, "one day back")
	browsertest.Do(p, "touch", chromedp.TapXY(p.PointOf(cursor, .65)))
	requireReadout(7, "touch")
}

// A choice keeps window, place and focus; another page begins at its top. Back follows. Signed out, it opens /sign-in.
func TestChoicesChangeThePageInPlace(t *testing.T) {
	w, o := webtest.StartAcme(t)
	fork := w.AddFork(o)
	w.DB.AddPlayers(o.ID, 60)
	w.DB.AddPlays(fork, 60, time.Now().AddDate(0, 0, -2), 0)
	p := browsertest.New(t)
	path := o.Path("/reports/%s", fork.ID)
	webtest.SignInWith(p, w, o.Owner, path)
	p.Click("#c-t > summary") // makes the page long
	browsertest.Eval[bool](p, `window.kept = true`)
	sameWindow := func() bool { return browsertest.Eval[bool](p, `window.kept === true`) }

	// p.Click would scroll to the link, and the test checks the scroll position
	browsertest.Eval[any](p, `{ const link = document.getElementById('show-score'); link.focus(); scrollTo(0, 40);
		link.click(); }`)
	p.WaitFor(`#show-score[aria-current]`)
	require.Contains(t, p.Path(), "show=score")
	require.Zero(t, p.Count(".of-report .halo"), "nothing cuts the earlier line")
	require.Equal(t, 40, browsertest.Eval[int](p, `Math.round(scrollY)`))
	require.Equal(t, "show-score", browsertest.Eval[string](p, `document.activeElement.id`))
	p.Click("#m-period > summary")
	browsertest.Eval[any](p, `document.querySelector('#m-compare > summary').focus()`)
	p.ClickAndWaitFor("#m-period:not([open]) > summary", "#m-period[open]") // it covered what had the focus
	p.Click(`#m-period a:text("90 days")`)
	p.WaitFor(fmt.Sprintf(`#show-plays[href*="from=%s"]`, time.Now().UTC().AddDate(0, 0, -90).Format(time.DateOnly)))
	require.Equal(t, 1, p.Count("#c-t[open]"), "what is unfolded stays so")
	require.Contains(t, p.Path(), "show=score")
	require.Equal(t, "m-period", browsertest.Eval[string](p, `document.activeElement.parentNode.id`))
	require.True(t, sameWindow())
	p.Back()
	p.WaitFor(`#show-score[aria-current]:not([href*="from=` + time.Now().UTC().AddDate(0, 0, -90).Format(time.DateOnly) + `"])`)
	p.Back()
	p.WaitFor("#show-plays[aria-current]")
	require.Equal(t, path, p.Path())
	require.True(t, sameWindow())
	browsertest.Eval[any](p, `{ const get = fetch, page = {ok: true, text: async () => document.documentElement.outerHTML};
		window.fetch = (url) => url.includes('score') ? new Promise((r) => { window.late = () => r(page); }) : get(url);
		document.getElementById('show-score').click(); }`)
	p.Click("#show-pass")
	p.WaitFor("#show-pass[aria-current]")
	browsertest.Eval[any](p, `late()`) // an earlier choice, whose page comes last
	p.Reload()
	p.WaitFor("#show-pass[aria-current]")
	require.False(t, sameWindow())
	p.Open(path + "/players")
	p.ClickAndWaitFor(`.pager a:text("Next →")`, `.pager span:text("31–60 of 60")`)
	require.Equal(t, "main 0", browsertest.Eval[string](p, `document.activeElement.id + ' ' + scrollY`))
	browsertest.Eval[any](p, `{ document.activeElement.blur(); document.getElementById('live').textContent = ''; }`)
	p.Back()
	p.WaitFor("#live:not(:empty)")
	w.DB.Exec(`delete from sessions`)
	p.Click("#by-Player")
	p.WaitFor("#email")
}

// Chart, page and Tab stops have a maximum. On phones tiles fill their rows, and forks without plays take less height.
func TestReportsFitDesktopsAndPhones(t *testing.T) {
	w, o := webtest.StartAcme(t)
	players := w.DB.AddPlayers(o.ID, 8)
	w.DB.AddGroupNamed(o.ID, "All but one", players[1:]...)
	fork := w.AddFork(o)
	w.AddFork(o)
	w.DB.AddPlays(fork, 60, time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC), time.Minute)
	w.DB.AddPlays(fork, 60, time.Date(2026, 2, 10, 9, 0, 0, 0, time.UTC), time.Minute)
	w.DB.AddPlays(fork, 1, time.Now().AddDate(0, 0, -2), 0)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, o.Owner, o.Path("/reports/%s?from=2026-03-01&to=2026-03-28", fork.ID))
	measure := func(script string) float64 {
		return browsertest.Eval[float64](p, `(() => {`+
			`const box = (s) => document.querySelector(s).getBoundingClientRect(); const gap = (e) => { `+
			`const r = document.createRange(); r.selectNodeContents(e); `+
			`return e.parentNode.getBoundingClientRect().right - r.getBoundingClientRect().right; }; return `+script+` })()`)
	}
	const chartEnd, pageHeight = `box('.of-report').bottom + scrollY`, `document.documentElement.scrollHeight`
	for n := 0; n < 20 && p.Count("#overlaps") == 0; n++ { // on a busy machine the query may exceed hintTimeout
		p.Reload()
	}
	require.Equal(t, 1, p.Count("#overlaps"))
	p.Press(strings.Split(strings.Repeat(kb.Tab, 12), "")...)
	require.Contains(t, p.FocusedElement(), "Download")
	require.LessOrEqual(t, measure(chartEnd), 620.0)
	require.LessOrEqual(t, measure(pageHeight), 1100.0)
	require.InDelta(t, 0, measure(`box('#skills').bottom - box('#skills + .card').bottom`), 1)

	p.Emulate(360, browsertest.Light)
	require.LessOrEqual(t, measure(`box('.of-report').top + scrollY`), 380.0)
	require.LessOrEqual(t, measure(pageHeight), 1600.0)
	require.InDelta(t, 0, measure(`box('.figures').right - box('.figures > :last-child').right`), 1)
	require.Equal(t, "Download", p.Text("#m-files > summary"))
	require.Regexp(t, `^All players\n1–28 Mar[^\n]* vs `, p.Text("[data-sheet]"))
	require.InDelta(t, 0, measure(`box('[data-sheet] .cut .cut').top - box('[data-sheet]').top -
		(box('[data-sheet]').bottom - box('[data-sheet] small').bottom)`), 2.5)
	tightest := `Math.min(...[...document.querySelectorAll('.figures dt')].map(gap))`
	require.Greater(t, measure(tightest), 5.0, "shorten the name of a tile, in measures of comparison.go")
	require.Equal(t, "ellipsis", browsertest.Eval[string](p, `getComputedStyle(document.querySelector('h1 > bdi')).textOverflow`))
	p.Open(o.Path("/reports"))
	require.True(t, browsertest.Eval[bool](p, `document.querySelector('[data-label="Pass rate"]').checkVisibility()`))
	require.Greater(t, measure(tightest), 5.0)
	require.Less(t, measure(`box('.idle').height`), .6*measure(`box('.forks tbody tr:not(.idle)').height`))
	p.Emulate(1024, browsertest.Light)
	require.Greater(t, measure(`box('.forks .cut').width`), 140.0)
	p.Emulate(1024, browsertest.ForcedColours) // the bars have the legend's colours
	require.True(t, browsertest.Eval[bool](p, `((css) => css('.forks .spark path').fill.includes('#weeks') &&
		css('#weeks :last-child').stopColor === css('.legend .bars').fill)((s) => getComputedStyle(document.querySelector(s)))`))
}

// A score below the lowest pass has its dot left of it. On desktops its line reaches the card's border. Days are UTC's.
func TestPlotsOfPlayersShowWhoIsBelowTheLowestPass(t *testing.T) {
	w, o := webtest.StartAcme(t)
	fork, at := w.AddFork(o), time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)
	for i, player := range w.DB.AddPlayers(o.ID, 2) {
		w.DB.AddPlay(testkit.Play{Fork: fork, Player: player, StartedAt: at, CompletedAt: at.Add(time.Minute),
			Score: 6990 + 10*i, Passed: i == 1})
	}
	p := browsertest.New(t)
	browsertest.Do(p, "change the time zone", browsertest.Command(emulation.SetTimezoneOverride,
		emulation.SetTimezoneOverrideParams{TimezoneID: "America/Los_Angeles"}))
	webtest.SignInWith(p, w, o.Owner, o.Path("/reports"))
	for _, page := range []string{"", "/players"} {
		p.Open(o.Path("/reports/%s%s?from=2026-03-01&to=2026-03-28", fork.ID, page))
		require.Regexp(t, `lowest score that passed: 70%(?s:.*)\b10 Mar`, p.Text("main table:has(.best)"))
		for _, width := range []int{1280, 360, 320} {
			p.Emulate(width, browsertest.Light)
			require.Positive(t, browsertest.Eval[float64](p, `(() => {
				const box = (s) => document.querySelector(s).getBoundingClientRect();
				return box('.pass:has(+ .short)').left - box('.short + circle').right })()`), "%s, %d px", page, width)
			require.True(t, width < 1280 || browsertest.Eval[bool](p, `[...document.querySelectorAll('.pass')].pop()
				.getBoundingClientRect().bottom >= document.querySelector('.card:has(.pass)').getBoundingClientRect().bottom - 2`))
		}
	}
}

// Common tasks take few clicks or taps in an open report. On a phone, one sheet has all menus.
func TestTasksTakeFewClicks(t *testing.T) {
	w, o := webtest.StartAcme(t)
	fork := w.AddFork(o)
	w.DB.AddGroupNamed(o.ID, "All", w.DB.AddPlayers(o.ID, 6)...)
	w.DB.AddPlays(fork, 60, time.Now().AddDate(0, 0, -2), 0)
	path := o.Path("/reports/%s", fork.ID)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, o.Owner, path)
	for _, job := range []struct{ name, desktop, phone, choice, done string }{
		{"last quarter against the year before", "#m-compare > summary", "[data-sheet]",
			`#m-compare a:text("Last quarter, 52 weeks earlier")`, `location.search.includes('compare=year')`},
		{"a group's answer", "#m-group > summary", "[data-sheet]", "#m-group a:has(bdi)",
			`location.search.includes('groupId=') && document.querySelector('.answer').checkVisibility()`},
		{"why a group is hidden", "#m-group > summary", "[data-sheet]", "",
			`document.querySelector('#m-group .hint').checkVisibility({ contentVisibilityAuto: true })`},
	} {
		for width, first := range map[int]string{1280: job.desktop, 360: job.phone} {
			p.Emulate(width, browsertest.Light)
			p.Open(path)
			p.Click(first)
			if job.choice != "" {
				p.Click(job.choice)
			}
			require.Eventually(t, func() bool { return browsertest.Eval[bool](p, job.done) },
				10*time.Second, time.Millisecond, "%s, %d px", job.name, width)
		}
	}
}

// Two clicks lead from the list to a group's weakest skill, or last week's file. More than eight groups are searched.
func TestTasksFromTheListTakeTwoClicks(t *testing.T) {
	w, o := webtest.StartAcme(t)
	players := w.DB.AddPlayers(o.ID, 6)
	for i := range 8 {
		w.DB.AddGroupNamed(o.ID, fmt.Sprintf("الليل %d, a gate with a long name", i), players...)
	}
	w.DB.AddPlays(w.AddFork(o), 60, time.Now().AddDate(0, 0, -2), 0)
	w.DB.Exec(`update plays set answers = '\x00000000000303030303'`) // gives each play answers to two skills
	list := o.Path("/reports")
	p := browsertest.New(t)
	webtest.SignInWith(p, w, o.Owner, list)
	webtest.RequireAccessible(t, p, "eight groups")
	const group, byGroup = `#groups bdi:text("الليل 7, a gate with a long name")`, `.forks .do a:text("Groups")`
	const height = `document.querySelector('.forks .do a').getBoundingClientRect().height`
	const focused = `document.querySelector('#m-group > .menu').contains(document.activeElement)`
	requireGroupReport := func(width int) {
		p.WaitFor("main:has(#groups li + li [aria-current])")
		p.WaitFor(`.answer strong:text("Giving context, 0.0%")`)
		require.Empty(t, browsertest.Eval[string](p, "location.hash"), width)
	}
	exports := 0
	monday := func() string {
		now := time.Now().UTC()
		return now.AddDate(0, 0, -7-int(now.Weekday()+6)%7).Format(time.DateOnly)
	}
	for _, width := range []int{1280, 360} {
		p.Emulate(width, browsertest.Light)
		p.Open(list)
		require.GreaterOrEqual(t, browsertest.Eval[float64](p, height), map[int]float64{1280: 24, 360: 44}[width])
		p.Click(byGroup)
		require.Eventually(t, func() bool { return browsertest.Eval[bool](p, focused) }, 10*time.Second,
			time.Millisecond)
		p.Click(group)
		requireGroupReport(width)

		before := monday()
		p.Open(list)
		p.Click(`.forks .do a:text("CSV")`)
		p.Click(`#m-files[open] a:text("CSV of last week")`)
		p.WaitFor("#m-files:not([open])")
		exports++
		from := w.ExportsOf(t, o, exports)[0].Details["from"]
		require.Contains(t, []any{before, monday()}, from, "%d; a week may begin meanwhile", width)
	}
	w.DB.AddGroupNamed(o.ID, "Ninth", players...)
	for _, width := range []int{1280, 360} {
		p.Emulate(width, browsertest.Light)
		p.Open(list)
		p.Click(byGroup)
		p.WaitFor("#m-group input:focus")
		p.Press("nint", kb.Enter)
		p.WaitFor(`#m-group summary:text("Group Ninth")`)
		requireGroupReport(width)
	}
}
