package reports

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/modules/reports"
	"dg/web/ui"
)

func labelsOf(l listPage[player]) (labels []string) {
	for _, p := range l.Rows {
		labels = append(labels, p.Label)
	}
	return labels
}

func pageURLWith(query string) pageURL {
	values, _ := url.ParseQuery(query)
	return pageURL{"/r", values}
}

// Players are sorted by each column in both directions. The sort is stable.
func TestPlayersAreSorted(t *testing.T) {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	list := []player{
		{Label: "C", Plays: 7, LastPlayedAt: at},
		{Label: "A", Plays: 8, Completed: true, LastPlayedAt: at.Add(time.Second)},
		{Label: "B", Plays: 8, Completed: true, BestScore: 700, Passed: true, LastPlayedAt: at},
	}
	for order, want := range map[string]string{
		"": "ACB", "nothing": "ACB", "--plays": "ACB", "plays": "CAB", "-plays": "ABC", "label": "ABC",
		"passed": "ACB", "-passed": "BCA", "-label": "CBA", "best": "CAB", "-best": "BAC", "last": "CBA",
		"-last": "ACB",
	} {
		l := players.page(pageURLWith("sort="+order), slices.Clone(list))
		require.Equal(t, want, strings.Join(labelsOf(l), ""), order)
		sorted := slices.DeleteFunc(l.Columns, func(h columnHead) bool { return h.Direction == "" })
		require.Len(t, sorted, 1)
	}
	// A heading sorts by its column, and a second click reverses the order.
	best := func(sort string) columnHead {
		return players.page(pageURLWith("from=1&page=2&sort="+sort), list).Columns[2]
	}
	require.Equal(t, columnHead{"Best score", "/r?from=1&sort=-best", "", true}, best(""))
	require.Equal(t, columnHead{"Best score", "/r?from=1&sort=best", "descending", true}, best("-best"))
	require.Equal(t, columnHead{"Best score", "/r?from=1&sort=-best", "ascending", true}, best("best"))
}

// Players without a pass are listed by best score, on their page after those without one. The page filters by pass.
func TestPlayersWhoHaveNotPassedAreListed(t *testing.T) {
	sample := []player{
		{Label: "A", Completed: true, BestScore: 400, Plays: 2}, {Label: "C", Completed: true, Plays: 1},
		{Label: "B", Completed: true, Passed: true, BestScore: 700, Plays: 1}, {Label: "D", Plays: 1},
	}
	l, _, _ := playersPage(sample, pageURLWith("passed=no"))
	require.Equal(t, "DCA", strings.Join(labelsOf(l.listPage), ""))
	require.Equal(t, []playerSection{{"No finished play", "1", l.Rows[:1]},
		{"Missed by 5\u00a0points or more", "2", l.Rows[1:]}}, l.Sections)
	require.Equal(t, columnHead{"Best score", "/r?passed=no&sort=-best", "ascending", true}, l.Columns[2])
	require.Len(t, l.Columns, 4, "without Passed")
	l, links, answer := playersPage(sample, pageURLWith("passed=no&sort=label"))
	require.Equal(t, "ACD", strings.Join(labelsOf(l.listPage), ""))
	require.Equal(t, []playerSection{{"", "", l.Rows}}, l.Sections)
	require.Equal(t, []ui.Link{
		{Name: "All", Count: "4", Path: "/r?sort=label"},
		{Name: "Not passed", Count: "3", Path: "/r?passed=no&sort=label", Current: true},
		{Name: "Passed", Count: "1", Path: "/r?passed=yes&sort=label"},
	}, links)
	text := func() string { return strings.ReplaceAll(clauseText(answer), "\u00a0", " ") }
	require.Equal(t, "*3 of 4 players* have not passed: 1 never finished a play, "+
		"1 other tried only once.", text())
	require.Empty(t, answer[0].Path, "the page shows them")
	l, links, answer = playersPage(sample, pageURLWith(""))
	require.Equal(t, "DCAB", strings.Join(labelsOf(l.listPage), ""))
	require.Equal(t, playerSection{"Passed", "1", l.Rows[3:]}, l.Sections[2])
	require.False(t, l.ShowPassed, "the headings say it")
	require.Equal(t, links[1].Path, answer[0].Path)
	sample = append(sample, player{Label: "E", Completed: true, BestScore: 400}) // ties with A
	stats := reports.Statistics{UniquePlayers: 5, Player: func(i int) player { return sample[i] }}
	nearly, above := player{Label: "F", Completed: true, BestScore: 651}, player{Completed: true, BestScore: 700}
	more := []player{{Completed: true, Passed: true, BestScore: 900}, nearly, above, {Completed: true, BestScore: 650}}
	l, _, _ = playersPage(slices.Concat(sample, more), pageURLWith(""))
	require.Equal(t, reports.Percent(700), l.LowestPass, "of B")
	require.Equal(t, playerSection{"Missed by less than 5\u00a0points", "1", []player{nearly}}, l.Sections[2])
	require.Equal(t, playerSection{"At least 70%", "1", []player{above}}, l.Sections[3])
	_, _, answer = playersPage([]player{{Passed: true, BestScore: 700, Plays: 1}, nearly}, pageURLWith(""))
	require.Equal(t, "*1 of 2 players* has not passed.", text())
	_, _, answer = playersPage([]player{{Plays: 1, Completed: true}}, pageURLWith(""))
	require.Equal(t, "*1 of 1 player* has not passed: 1 tried only once.", text())
	zero := player{Completed: true, Passed: true}
	for _, some := range [][]player{sample[1:2], append(sample[1:3:3], zero), {zero, sample[2], sample[1]}} {
		l, _, _ = playersPage(some, pageURLWith(""))
		stats := reports.Statistics{UniquePlayers: int64(len(some)), Player: func(i int) player { return some[i] }}
		_, _, lowestPass := notPassed(stats, 1)
		require.Equal(t, "Finished 0 0", fmt.Sprint(l.Sections[0].Name, " ", l.LowestPass, lowestPass), "none, or 0%")
	}
	for n, want := range map[int]string{1: "C", 2: "CA", 3: "CAE", 8: "CAED"} {
		first, count, lowestPass := notPassed(stats, n)
		require.Equal(t, want, strings.Join(labelsOf(listPage[player]{Rows: first}), ""))
		require.Equal(t, []int64{4, 700}, []int64{count, int64(lowestPass)})
	}
}

// A page has 30 players, and its links keep the other parameters. A page number out of range selects the nearest page.
func TestPlayersArePaged(t *testing.T) {
	var everyone []player
	for i := range 61 {
		everyone = append(everyone, player{Label: fmt.Sprintf("%02d", i)})
	}
	for page, want := range map[string][2]string{
		"": {"00", "1–30 of 61"}, "2": {"30", "31–60 of 61"}, "3": {"60", "61–61 of 61"},
		"-1": {"00", "1–30 of 61"}, "x": {"00", "1–30 of 61"}, "9999999999": {"60", "61–61 of 61"},
	} {
		l := players.page(pageURLWith("page="+page), everyone)
		require.Equal(t, want, [2]string{l.Rows[0].Label, l.Range})
	}
	passed, _, _ := playersPage(everyone, pageURLWith("passed=yes"))
	require.True(t, passed.Searchable, "as the other tabs")
	for query, want := range map[string]string{
		"page=2": "No finished play 61", "page=2&player=0": " ", "passed=yes": " ",
	} {
		page, _, _ := playersPage(everyone, pageURLWith(query))
		first := page.Sections[0]
		require.Equal(t, want, first.Name+" "+first.Count, "headings count all pages; a search and one kind have none")
	}
	l := players.page(pageURLWith("page=2&player=&sort=label&groupId=g"), everyone)
	require.Equal(t, "/r?groupId=g&page=3&sort=label", l.Next)
	require.Equal(t, "/r?groupId=g&page=1&sort=label", l.Previous)
	require.True(t, l.Searchable)
	require.False(t, players.page(pageURLWith(""), everyone[:30]).Searchable)
}

// A search finds any part of the label. It ignores case, accents and surrounding spaces.
func TestPlayersAreFoundByTheirLabel(t *testing.T) {
	var list []player
	for _, label := range []string{"Élodie Müller", "ELODIE", "Mélodie", "Straße", "محمد الأمين"} {
		list = append(list, player{Label: label})
	}
	for search, want := range map[string][]string{
		"élo": {"Élodie Müller", "ELODIE", "Mélodie"}, "muller": {"Élodie Müller"},
		"STRASSE": {"Straße"}, "الأمين": {"محمد الأمين"}, "%": nil, `\\`: nil,
	} {
		l := players.page(pageURLWith("skills=all&sort=plays&player="+url.QueryEscape(" "+search+" ")), list)
		require.Equal(t, want, labelsOf(l), search)
		require.Equal(t, fmt.Sprintf("%d of 5 players.", len(want)), l.Summary)
		require.Equal(t, "/r?skills=all&sort=plays", l.AllPath)
		require.Equal(t, []param{{"sort", "plays"}, {"skills", "all"}}, l.KeptParams)
	}
}

// Forks are sorted by score and by pass rate. Without a finished play, a fork has neither and is below 0.0%.
func TestForksAreSortedByTheirResults(t *testing.T) {
	row := func(title string, completed, passed int64, average reports.Percent) forkRow {
		f := forkRow{Statistics: reports.Statistics{Completed: completed, Passed: passed, AvgScore: average}}
		f.Title = title
		return f
	}
	for order, want := range map[string]string{"score": "CBA", "-score": "ABC", "pass": "CAB", "-pass": "BAC"} {
		rows := []forkRow{row("B", 1, 1, 0), row("C", 0, 0, 0), row("A", 2, 0, 900)}
		got := ""
		for _, r := range forks.page(pageURLWith("sort="+order), rows).Rows {
			got += r.Title
		}
		require.Equal(t, want, got, order)
	}
}

// The last twelve weeks are those of the period and, only if they are right before it, of the earlier period.
func TestWeeksAreColouredByTheirPeriod(t *testing.T) {
	end := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ days, gap, earlierDays, beforeWeek, nowWeek int }{
		{28, 0, 28, 4, 8}, {31, 0, 30, 4, 8}, {7, 0, 7, 10, 11}, {1, 0, 1, 10, 11}, {29, 2, 29, 4, 8}, // whole months
		{28, 336, 28, 8, 8}, {28, 0, 0, 8, 8}, {56, 0, 56, 0, 4}, {90, 0, 90, 0, 0}, {366, -2, 366, 0, 0},
	} {
		period := lastDays(end, c.days)
		earlier := reports.Period{From: period.From.AddDate(0, 0, -c.gap-c.earlierDays), Days: c.earlierDays}
		var v reportsView
		v.colourWeeks(period, earlier)
		require.InDeltaSlice(t, []float64{float64(c.beforeWeek) / 12, float64(c.nowWeek) / 12},
			[]float64{v.BeforeFrom, v.NowFrom}, 1e-9, c)
	}
}

// shownSkills returns the areas of a list, each followed by its skills' ids.
func shownSkills(l skillList) (ids []string) {
	for _, area := range l.Areas {
		ids = append(ids, "# "+area.Name)
		for _, row := range area.Rows {
			ids = append(ids, row.SkillID)
		}
	}
	return ids
}

// The list has the eight weakest skills, or all by area. A change of the shown rates is coloured above its noise.
func TestWeakestSkillsAreListed(t *testing.T) {
	s := reports.Statistics{UniquePlayers: 100, Skills: []reports.SkillStat{skill("data.quality.formats", 500, 1000),
		skill("ai.usage.good-fit", 200, 1000), skill("data.reading.charts", 200, 1000)}}
	before := reports.Statistics{UniquePlayers: 100, Skills: []reports.SkillStat{skill("ai.usage.good-fit", 400, 1000),
		skill("data.reading.charts", 250, 1000)}}
	u := pageURLWith("from=2026-03-01")
	l := newSkillList(s, &comparison{earlierStats: &before}, u)
	require.Equal(t, []string{"# ", "ai.usage.good-fit", "data.reading.charts", "data.quality.formats"}, shownSkills(l))
	require.Equal(t, ui.Link{Name: "By area", Path: "/r?from=2026-03-01&skills=all"}, l.OtherOrder)
	var rates []string
	for _, row := range l.Areas[0].Rows {
		rates = append(rates, row.Rate+" "+row.Before+" "+row.Difference+" "+row.Direction)
	}
	require.Equal(t, []string{"20.0% 40.0% −20.0 down", "20.0% 25.0% −5.0 ", "50.0%   "}, rates)
	require.Equal(t, []int{20, 50}, []int{l.Low, l.High})
	require.Equal(t, "0.0% 66.6%", l.NowAt(l.Areas[0].Rows[0])+" "+l.BeforeAt(l.Areas[0].Rows[0]))
	for answers, direction := range map[int64]string{19: "", 20: "down"} {
		k, earlier := skill("ai.usage.bias", 0, answers), skill("ai.usage.bias", 20, 20)
		row := newSkillRow(k, reports.Statistics{UniquePlayers: 100, Skills: []reports.SkillStat{k}}, &comparison{
			earlierStats: &reports.Statistics{UniquePlayers: 100, Skills: []reports.SkillStat{earlier}}})
		require.Equal(t, direction, row.Direction, answers)
		require.Equal(t, answers < 20, row.TooFewAnswers(), answers)
	}
	for correct, want := range map[int64][2]int{
		0: {0, 20}, 499: {30, 50}, 500: {30, 50}, 501: {40, 60}, 1000: {80, 100},
	} {
		s := reports.Statistics{Skills: []reports.SkillStat{skill("ai.usage.good-fit", correct, 1000)}}
		l := newSkillList(s, nil, u)
		require.Equal(t, want, [2]int{l.Low, l.High}, "at least 20 points")
	}
	require.Equal(t, "data.quality.formats", s.Skills[0].SkillID, "the caller's order stays")
	l = newSkillList(s, nil, pageURLWith("from=2026-03-01&skills=all"))
	require.Equal(t, []string{"# Data", "data.quality.formats", "data.reading.charts", "# AI",
		"ai.usage.good-fit"}, shownSkills(l))
	require.Equal(t, ui.Link{Name: "Weakest first", Path: "/r?from=2026-03-01"}, l.OtherOrder)
}

// The skills with labels are exactly those of the catalogue.
func TestEverySkillHasANameAndAnArea(t *testing.T) {
	var all []reports.SkillStat
	for i := range games.SkillCount {
		all = append(all, reports.SkillStat{SkillID: games.Skill(i).ID()})
	}
	require.Len(t, shownSkills(newSkillList(reports.Statistics{Skills: all}, nil, pageURLWith(""))), 1+cardRows)
	shown := newSkillList(reports.Statistics{Skills: all}, nil, pageURLWith("skills=all"))
	require.Len(t, shownSkills(shown), games.SkillCount+len(skillAreas))
	require.Len(t, skillLabels, games.SkillCount)
	for _, area := range shown.Areas {
		for _, row := range area.Rows {
			require.NotEmpty(t, row.Name, row.SkillID)
		}
	}
}
