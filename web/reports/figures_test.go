package reports_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
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

// fixed writes a number of the API, times scale, with so many decimals, and fails where that would
// round.
func fixed(t *testing.T, n json.Number, scale int64, decimals int) string {
	t.Helper()
	exact, ok := new(big.Rat).SetString(n.String())
	require.True(t, ok, n)
	exact.Mul(exact, new(big.Rat).SetInt64(scale))
	text := exact.FloatString(decimals)
	back, _ := new(big.Rat).SetString(text)
	require.Zero(t, back.Cmp(exact), "%s has more digits than are shown", n)
	return text
}

const (
	changeCells = `<div><dt>([^<]*)</dt>(?:<dd>[^<]*</dd>)*<dd class="change">([^<]*)</dd></div>`
	dailyCells  = `<tr(?: data-days="(\d+)")?><th scope="row">(?:<time datetime="([^"]*)">)?[^<]*(?:</time>[^<]*)?</th><td class="n">([^<]*)</td><td class="n">([^<]*)</td><td class="n">([^<]*)</td></tr>`
	skillCells  = `<span class="mono off">(.*?)</span><svg class="bar" aria-hidden="true"><rect width="([^"]*)" height="100%"/></svg></th><td class="n">([^<]*)</td><td class="n">([^<]*)</td></tr>`
	playerCells = `<tr><th scope="row"(?: class="mono")?><bdi>([^<]*)</bdi></th><td class="n">([^<]*)</td><td class="n">([^<]*)</td><td>(?:<span class="off">)?(Yes|No)(?:</span>)?</td><td><time datetime="([^"]*)"`
)

// allPlayers walks the pages of the players and returns their rows.
func allPlayers(b *webtest.Browser, p webtest.Page) [][]string {
	rows := webtest.Cells(playerCells, p.Body)
	for {
		next := webtest.Cells(`<a class="btn" href="([^"]*)">Next →</a>`, p.Body)
		if next == nil {
			return rows
		}
		p = b.Get(strings.TrimSuffix(next[0][0], "#p-h"))
		rows = append(rows, webtest.Cells(playerCells, p.Body)...)
	}
}

// sameFigures compares a dashboard, all its pages, with the API's statistics: to the digit.
func sameFigures(
	t *testing.T, b *webtest.Browser, p webtest.Page, want statistics, days map[string]daySums,
) {
	t.Helper()
	mode := "with pseudonyms"
	if want.ReportingMode == "nominative" {
		mode = "with names"
	}
	require.Contains(t, webtest.RegexpFind(t, `<p class="lede">(.*)</p>`, p.Body), ", "+mode)
	require.Equal(t, want.Suppressed, strings.Contains(p.Body, "This group’s figures are hidden"))
	if want.Suppressed {
		for _, pattern := range []string{
			webtest.FigureCells, dailyCells, skillCells, playerCells, `(plays\.csv)`,
			`(<svg class="tall)`,
		} {
			require.Empty(t, webtest.Cells(pattern, p.Body))
		}
		return
	}
	plain := func(n json.Number) string { return strings.ReplaceAll(n.String(), ",", "") }
	withoutCommas := func(rows [][]string) [][]string {
		for _, row := range rows {
			for i := range row {
				if regexp.MustCompile(`^[0-9,]+$`).MatchString(row[i]) {
					row[i] = strings.ReplaceAll(row[i], ",", "")
				}
			}
		}
		return rows
	}
	require.Equal(t, [][]string{
		{"Plays", plain(want.Plays)}, {"Players", plain(want.UniquePlayers)},
		{"Average score", want.figure("Average score").String(t)},
		{"Completion rate", want.figure("Completion rate").String(t)},
		{"Pass rate", want.figure("Pass rate").String(t)},
	}, withoutCommas(webtest.Cells(webtest.FigureCells, p.Body)))
	if want.Plays == "0" {
		require.Contains(t, p.Body, "No plays in this period")
		return
	}
	var skills, players [][]string
	area := func(id string) string {
		name, _, _ := strings.Cut(id, ".")
		return name
	}
	for _, first := range []string{"prompting", "data", "ai"} { // as they come in the catalogue
		for _, k := range want.Skills {
			if area(k.SkillID) == first {
				rate := fixed(t, k.CorrectRate, 100, 2) + "%"
				skills = append(skills, []string{k.SkillID, rate, plain(k.Attempts), rate})
			}
		}
	}
	for _, q := range want.Players {
		passed := "No"
		if q.Passed {
			passed = "Yes"
		}
		players = append(players,
			[]string{
				q.PlayerLabel, plain(q.Plays), fixed(t, q.BestScorePercent, 1, 1) + "%", passed,
				q.LastPlayedAt,
			})
	}
	require.Equal(t, rowsOfDays(t, want, days), withoutCommas(webtest.Cells(dailyCells, p.Body)))
	require.Equal(t, skills, withoutCommas(webtest.Cells(skillCells, p.Body)))
	shown := withoutCommas(allPlayers(b, p))
	for _, row := range shown {
		if row[2] == "–" { // the API does not tell the two apart
			row[2] = "0.0%"
		}
	}
	require.Equal(t, players, shown)
}

// askStatistics asks the API.
func askStatistics(
	t *testing.T, get func(string) webtest.Page, fork, from, to, group string,
) statistics {
	t.Helper()
	path := "/forks/" + fork + "/stats?from=" + from + "&to=" + to
	if group != "" {
		path += "&groupId=" + group
	}
	answer := get(path)
	require.Equal(t, http.StatusOK, answer.StatusCode, answer.Body)
	var s statistics
	require.NoError(t, json.Unmarshal([]byte(answer.Body), &s))
	return s
}
