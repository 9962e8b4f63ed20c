package reports_test

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
	"dg/web/ui"
)

// statistics is the API's answer with its numbers as they are written.
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

// fixed writes a number of the API times scale with one decimal, rounded half up.
func fixed(t *testing.T, n json.Number, scale int64) string {
	exact, ok := new(big.Rat).SetString(n.String())
	require.True(t, ok, n)
	return exact.Mul(exact, new(big.Rat).SetInt64(scale)).FloatString(1)
}

const (
	dailyCells  = `<tr data-days="1"><th scope="row">([^<]*)</th><td class="n">([^<]*)</td><td class="n">([^<]*)</td><td class="n">([^<]*)</td>(?:<td class="n">[^<]*</td>){0,2}</tr>`
	skillCells  = `<span title="([^"]*)">[^<]*</span><svg class="bar" aria-hidden="true"><rect width="([^"]*)" height="100%"/></svg></span></th><td class="n">([^<]*)</td><td class="n">([^<]*)</td></tr>`
	playerCells = `<tr><th scope="row"(?: class="mono")?><bdi>([^<]*)</bdi></th><td class="n">([^<]*)</td><td class="n">([^<]*)</td><td>(?:<span class="off">)?(Yes|No)(?:</span>)?</td><td><time datetime="([^"]*)"`
)

// allPlayers returns the rows of players of the page and those after it.
func allPlayers(b *testkit.Browser, p testkit.Page) [][]string {
	rows := testkit.Cells(playerCells, p.Body)
	for next := p.Link("Next →"); next != ""; next = p.Link("Next →") {
		p = b.Get(strings.TrimSuffix(next, "#p-h"))
		rows = append(rows, testkit.Cells(playerCells, p.Body)...)
	}
	return rows
}

var commaOfThousands = regexp.MustCompile(`(\d),(\d{3})`)

// shown returns the cells that a pattern finds, without commas in numbers.
func shown(pattern string, p testkit.Page) [][]string {
	return testkit.Cells(pattern, commaOfThousands.ReplaceAllString(p.Body, "$1$2"))
}

// sameFigures compares a dashboard with the API's statistics, to the shown decimal.
func sameFigures(t *testing.T, b *testkit.Browser, p testkit.Page, want statistics) {
	mode := map[string]string{"pseudonymous": "Pseudonyms", "nominative": "Names"}
	require.Contains(t, testkit.Find(t, `<p class="lede">(.*)</p>`, p.Body),
		" ·&nbsp;"+mode[want.ReportingMode])
	require.Equal(t, want.Suppressed, strings.Contains(p.Body, "This group’s figures are hidden"))
	if want.Suppressed {
		for _, pattern := range []string{
			webtest.FigureCells, dailyCells, skillCells, playerCells, `(plays\.csv)`,
			`(<svg class="tall)`,
		} {
			require.Empty(t, testkit.Cells(pattern, p.Body))
		}
		return
	}
	percent := func(n json.Number, scale int64, none bool) string {
		if none {
			return "–" // there is nothing to average
		}
		return fixed(t, n, scale) + "%"
	}
	none := want.CompletionRate == "0"
	require.Equal(t, [][]string{
		{"Plays", want.Plays.String()}, {"Players", want.UniquePlayers.String()},
		{"Average score", percent(want.AvgScorePercent, 1, none)},
		{"Completion rate", percent(want.CompletionRate, 100, want.Plays == "0")},
		{"Pass rate", percent(want.PassRate, 100, none)},
	}, shown(webtest.FigureCells, p))
	if want.Plays == "0" {
		p.Has(t, "No plays in this period")
		return
	}
	if len(want.Daily) <= 92 { // beyond, the rows are weeks: TestBarsOfALongPeriodAreWeeks
		rows := shown(dailyCells, p)
		require.Len(t, rows, len(want.Daily))
		for i, d := range want.Daily {
			date, err := time.Parse(time.DateOnly, d.Date)
			require.NoError(t, err)
			require.Contains(t, rows[i][0], ui.Weekday(date))
			require.Equal(t, d.Plays.String(), rows[i][1])
			if rows[i][3] != "–" {
				require.Equal(t, percent(d.AvgScorePercent, 1, false), rows[i][3])
			}
		}
	}
	var skills, players [][]string
	for _, area := range []string{"prompting", "data", "ai"} { // as they come in the catalogue
		for _, k := range want.Skills {
			if strings.HasPrefix(k.SkillID, area+".") {
				rate := percent(k.CorrectRate, 100, false)
				skills = append(skills, []string{k.SkillID, rate, k.Attempts.String(), rate})
			}
		}
	}
	for _, q := range want.Players {
		players = append(players, []string{
			q.PlayerLabel, q.Plays.String(), percent(q.BestScorePercent, 1, false),
			map[bool]string{true: "Yes", false: "No"}[q.Passed], q.LastPlayedAt,
		})
	}
	require.Equal(t, skills, shown(skillCells, p))
	listed := allPlayers(b, p)
	for _, row := range listed {
		if row[2] == "–" { // the API does not tell the two apart
			row[2] = "0.0%"
		}
	}
	require.Equal(t, players, listed)
}

func askStatistics(
	t *testing.T, get func(string) testkit.Page, fork, from, to, group string,
) statistics {
	path := "/forks/" + fork + "/stats?from=" + from + "&to=" + to
	if group != "" {
		path += "&groupId=" + group
	}
	answer := get(path).Is(t, 200)
	var s statistics
	require.NoError(t, json.Unmarshal([]byte(answer.Body), &s))
	return s
}
