package reports_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
	"dg/web/ui"
)

// statistics is the API's response, with each number as text.
type statistics struct {
	Plays, UniquePlayers, AvgScorePercent, CompletionRate, PassRate json.Number
	ReportingMode                                                   string
	Suppressed                                                      bool
	Daily                                                           []struct {
		Date                   string
		Plays, AvgScorePercent json.Number
	}
	Players []struct {
		PlayerLabel             string
		Plays, BestScorePercent json.Number
		LastPlayedAt            string
		Passed                  bool
	}
	Skills []struct {
		SkillID               string `json:"skillId"`
		Attempts, CorrectRate json.Number
	}
}

// percent formats figure times scale with one decimal. A second decimal of 5 may have been rounded down.
func percent(t *testing.T, cell string, figure json.Number, scale int64) string {
	exact, ok := new(big.Rat).SetString(figure.String())
	require.True(t, ok, figure)
	exact.Mul(exact, new(big.Rat).SetInt64(scale))
	for _, hundredths := range []int64{0, -1} {
		if n := new(big.Rat).Add(exact, big.NewRat(hundredths, 100)); n.FloatString(1)+"%" == cell {
			if hundredths == 0 || strings.HasSuffix(exact.FloatString(2), "5") {
				return cell
			}
		}
	}
	return exact.FloatString(1) + "%"
}

const (
	dailyCells  = `<tr data-days="1"[^>]*><th scope="row">([^<]*)</th><td class="n">([^<]*)</td><td class="n">([^<]*)</td><td class="n">([^<]*)</td>`
	skillCells  = `<span title="([^"]*)">[^<]*</span></th><td class="track"[^>]*><svg[^>]*>(?:<line[^>]*>)+(?:<circle class="was"[^>]*>)?<circle cx="[^"]*"[^>]*></svg></td><td class="sr">([^<]*)</td><td class="n">([^<]*)</td>`
	playerCells = `<tr><th scope="row"(?: class="mono")?><bdi translate="no">([^<]*)</bdi></th><td class="n">([^<]*)</td><td class="n best(?: yes| no)">(?:<svg.*?</svg>)?(?:<span class="off">)?([^<]*)(?:</span>)?</td><td class="no-phone">(?:<span class="state yes">(Yes)</span>|<span class="state warn">No</span>)</td><td class="n off"><time datetime="([^"]*)"`
)

func allPlayers(b *testkit.Browser, p testkit.Page) [][]string {
	rows := testkit.Submatches(playerCells, p.Body)
	for next := p.Link("Next →"); next != ""; next = p.Link("Next →") {
		p = b.Get(next)
		rows = append(rows, testkit.Submatches(playerCells, p.Body)...)
	}
	return rows
}

var commaOfThousands = regexp.MustCompile(`(\d),(\d{3})`)

func cellsWithoutCommas(pattern string, p testkit.Page) [][]string {
	return testkit.Submatches(pattern, commaOfThousands.ReplaceAllString(p.Body, "$1$2"))
}

func requireSameFigures(t *testing.T, b *testkit.Browser, p testkit.Page, want statistics) {
	modeLabels := map[string]string{"pseudonymous": "Pseudonymous", "nominative": "Nominative"}
	require.Contains(t, testkit.Submatch(t, `<p class="lede[^"]*">(.*)</p>`, p.Body),
		` ·&nbsp;</span><span class="pill no-phone">`+modeLabels[want.ReportingMode])
	require.Equal(t, want.Suppressed, strings.Contains(p.Body, "This group’s figures are hidden"))
	if want.Suppressed {
		for _, pattern := range []string{
			webtest.FigureCells, dailyCells, skillCells, playerCells, `(plays\.csv)`, `(<svg class="tall)`,
		} {
			require.Empty(t, testkit.Submatches(pattern, p.Body))
		}
		page := b.Get(strings.Replace(p.Request.URL.RequestURI(), "?", "/players?", 1))
		require.Empty(t, testkit.Submatches(playerCells, page.Has(t, "This group’s figures are hidden").Body))
		return
	}
	figures := cellsWithoutCommas(webtest.FigureCells, p)
	require.Len(t, figures, 5)
	wantCell := func(i int, n json.Number, scale int64, noValues bool) string {
		if noValues {
			return "–"
		}
		return percent(t, figures[i][1], n, scale)
	}
	noValues := want.CompletionRate == "0"
	require.Equal(t, [][]string{
		{"Players", want.UniquePlayers.String()}, {"Plays", want.Plays.String()},
		{"Average score", wantCell(2, want.AvgScorePercent, 1, noValues)},
		{"Completion rate", wantCell(3, want.CompletionRate, 100, want.Plays == "0")},
		{"Pass rate", wantCell(4, want.PassRate, 100, noValues)},
	}, figures)
	if want.Plays == "0" {
		p.Has(t, "No plays in this period")
		return
	}
	if len(want.Daily) <= ui.MaxChartDays { // beyond 44 days, rows are weeks: TestBarsOfALongPeriodAreWeeks
		rows := cellsWithoutCommas(dailyCells, p)
		require.Len(t, rows, len(want.Daily))
		for i, d := range want.Daily {
			date, err := time.Parse(time.DateOnly, d.Date)
			require.NoError(t, err)
			require.Contains(t, rows[i][0], ui.Weekday(date))
			require.Equal(t, d.Plays.String(), rows[i][1])
			if rows[i][3] == "–" { // no play was completed
				rows[i][3] = "0.0%"
			}
			require.Equal(t, percent(t, rows[i][3], d.AvgScorePercent, 1), rows[i][3])
		}
	}
	skills := cellsWithoutCommas(skillCells, b.Get(p.Request.URL.RequestURI()+"&skills=all"))
	require.Len(t, skills, len(want.Skills))
	nextSkill := 0
	for _, area := range []string{"prompting", "data", "ai"} { // the page lists skills by area
		for _, k := range want.Skills {
			if strings.HasPrefix(k.SkillID, area+".") {
				cells := skills[nextSkill]
				rate := percent(t, cells[2], k.CorrectRate, 100)
				require.Equal(t, []string{k.SkillID, k.Attempts.String(), rate}, cells)
				nextSkill++
			}
		}
	}
	var players [][]string
	for _, p := range want.Players {
		players = append(players, []string{p.PlayerLabel, p.Plays.String(), percent(t, "", p.BestScorePercent, 1),
			map[bool]string{true: "Yes"}[p.Passed], p.LastPlayedAt})
	}
	listed := allPlayers(b, b.Get(strings.Replace(p.Request.URL.RequestURI(), "?", "/players?sort=-plays&", 1)))
	for _, row := range listed {
		if row[2] == "Unfinished" { // the API has 0 as the best score then
			row[2] = "0.0%"
		}
	}
	require.Equal(t, players, listed)
}

func readStatistics(t *testing.T, get func(string) testkit.Page, fork, from, to, group string) statistics {
	path := "/forks/" + fork + "/stats?from=" + from + "&to=" + to
	if group != "" {
		path += "&groupId=" + group
	}
	answer := get(path).Is(t, 200)
	var s statistics
	require.NoError(t, json.Unmarshal([]byte(answer.Body), &s))
	return s
}

func playerNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("Player %03d", i)
	}
	return names
}

// randomPlays stores n plays in the given number of days before now.
func randomPlays(w *webtest.World, random *rand.Rand, n, days int, forks []testkit.Fork, players []testkit.Player,
	now time.Time) {
	plays := make([]testkit.Play, n)
	for i := range plays {
		at := now.Truncate(time.Millisecond).
			Add(-time.Duration(random.Int64N(int64(days)*86_400_000)) * time.Millisecond)
		p := testkit.Play{Fork: forks[random.IntN(len(forks))], Player: players[random.IntN(len(players))],
			StartedAt: at}
		if score := random.IntN(13_000) - 3_000; score >= 0 {
			p.CompletedAt = at.Add(time.Minute)
			p.Score = min(score, 10_000)
			p.Passed = score > 5000
		}
		var results []games.SkillResult
		for _, s := range random.Perm(games.SkillCount)[:random.IntN(4)] {
			attempts := 1 + random.IntN(7)
			results = append(results, games.SkillResult{Skill: games.Skill(s), Attempts: attempts,
				Correct: random.IntN(attempts + 1)})
		}
		p.Answers = games.PackAnswers(results)
		plays[i] = p
	}
	w.DB.StorePlays(plays)
}

// openapi.yaml, getForkStats: API and dashboard show the same figures, to the digit, for random queries in both modes.
func TestDashboardShowsTheFiguresOfTheAPI(t *testing.T) {
	w := webtest.Start(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	now := time.Now().UTC()
	reportKinds := map[string]int{}
	for _, mode := range []string{"pseudonymous", "nominative"} {
		o := w.StoreOrganisation(testkit.Organisation{Slug: mode, ReportingMode: mode})
		forks := []testkit.Fork{w.AddFork(o), w.AddFork(o), w.AddFork(o)}
		names := playerNames(70)
		// hostile names, and the last player's name again
		copy(names, []string{"=HYPERLINK(1)", "<b>bold</b>", "\u202eevil", "Player 069"})
		players := w.DB.AddPlayersNamed(o.ID, names...)
		groups := []string{"", w.DB.AddGroup(o.ID)}
		for _, size := range []int{4, 5, 20, len(players)} {
			groups = append(groups, w.DB.AddGroup(o.ID, players[:size]...))
		}
		randomPlays(w, random, 700, 400, forks[:2], players, now)
		randomPlays(w, random, 500, 20, forks[:1], players, now)
		owner := w.SignIn(t, o.Owner)
		get := w.API(t, o)
		for n := range 40 {
			fork := forks[min(random.IntN(7)/3, 2)].ID
			group := groups[max(0, random.IntN(2*len(groups))-len(groups))]
			days := []int{1, 2, 7, 28, 92, 93, 366}[n%7]
			last := now.AddDate(0, 0, 5-random.IntN(200))
			from := last.AddDate(0, 0, 1-days).Format(time.DateOnly)
			to := last.Format(time.DateOnly)
			want := readStatistics(t, get, fork, from, to, group)
			p := owner.Get(o.Path("/reports/%s?from=%s&to=%s&groupId=%s", fork, from, to, group))
			requireSameFigures(t, owner, p.Is(t, 200), want)
			switch {
			case want.Suppressed:
				reportKinds["suppressed"]++
			case want.Plays == "0":
				reportKinds["empty"]++
			case len(want.Players) > 25:
				reportKinds["paged"]++
			}
		}
	}
	require.Greater(t, min(reportKinds["suppressed"], reportKinds["empty"], reportKinds["paged"]), 1, "%v", reportKinds)
}
