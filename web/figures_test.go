package web_test

import (
	"encoding/json"
	"html"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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

// fixed writes a number of the API, times scale, with so many decimals, and fails where that would round.
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

// cells returns what the groups of a pattern find in a page, unescaped.
func cells(pattern, text string) [][]string {
	var all [][]string
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		row := found[1:]
		for i := range row {
			row[i] = html.UnescapeString(strings.ReplaceAll(row[i], "<wbr>", ""))
		}
		all = append(all, row)
	}
	return all
}

const (
	figureCells = `<div><dt>([^<]*)</dt><dd>([^<]*)</dd>`
	changeCells = `<div><dt>([^<]*)</dt>(?:<dd>[^<]*</dd>)*<dd class="change">([^<]*)</dd></div>`
	dailyCells  = `<tr(?: data-days="(\d+)")?><th scope="row">(?:<time datetime="([^"]*)">)?[^<]*(?:</time>[^<]*)?</th><td class="n">([^<]*)</td><td class="n">([^<]*)</td><td class="n">([^<]*)</td></tr>`
	skillCells  = `<span class="mono off">(.*?)</span><svg class="bar" aria-hidden="true"><rect width="([^"]*)" height="100%"/></svg></th><td class="n">([^<]*)</td><td class="n">([^<]*)</td></tr>`
	playerCells = `<tr><th scope="row"(?: class="mono")?><bdi>([^<]*)</bdi></th><td class="n">([^<]*)</td><td class="n">([^<]*)</td><td>(?:<span class="off">)?(Yes|No)(?:</span>)?</td><td><time datetime="([^"]*)"`
)

// allPlayers walks the pages of the players and returns their rows.
func allPlayers(b *browser, p page) [][]string {
	rows := cells(playerCells, p.body)
	for {
		next := cells(`<a class="btn" href="([^"]*)">Next →</a>`, p.body)
		if next == nil {
			return rows
		}
		p = b.get(strings.TrimSuffix(next[0][0], "#p-h"))
		rows = append(rows, cells(playerCells, p.body)...)
	}
}

// sameFigures compares a dashboard, all its pages, with the API's statistics: to the digit.
func sameFigures(t *testing.T, b *browser, p page, want statistics, days map[string]daySums) {
	t.Helper()
	mode := "with pseudonyms"
	if want.ReportingMode == "nominative" {
		mode = "with names"
	}
	require.Contains(t, regexpFind(t, `<p class="lede">(.*)</p>`, p.body), ", "+mode)
	require.Equal(t, want.Suppressed, strings.Contains(p.body, "This group’s figures are hidden"))
	if want.Suppressed {
		for _, pattern := range []string{figureCells, dailyCells, skillCells, playerCells, `(plays\.csv)`, `(<svg class="tall)`} {
			require.Empty(t, cells(pattern, p.body))
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
		{"Plays", plain(want.Plays)}, {"Players", plain(want.UniquePlayers)}, {"Average score", want.figure("Average score").String(t)},
		{"Completion rate", want.figure("Completion rate").String(t)}, {"Pass rate", want.figure("Pass rate").String(t)},
	}, withoutCommas(cells(figureCells, p.body)))
	if want.Plays == "0" {
		require.Contains(t, p.body, "No plays in this period")
		return
	}
	var skills, players [][]string
	area := func(id string) string { name, _, _ := strings.Cut(id, "."); return name }
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
		players = append(players, []string{q.PlayerLabel, plain(q.Plays), fixed(t, q.BestScorePercent, 1, 1) + "%", passed, q.LastPlayedAt})
	}
	require.Equal(t, rowsOfDays(t, want, days), withoutCommas(cells(dailyCells, p.body)))
	require.Equal(t, skills, withoutCommas(cells(skillCells, p.body)))
	shown := withoutCommas(allPlayers(b, p))
	for _, row := range shown {
		if row[2] == "–" { // the API does not tell the two apart
			row[2] = "0.0%"
		}
	}
	require.Equal(t, players, shown)
}

// askStatistics asks the API.
func askStatistics(t *testing.T, get func(string) page, fork, from, to, group string) statistics {
	t.Helper()
	path := "/forks/" + fork + "/stats?from=" + from + "&to=" + to
	if group != "" {
		path += "&groupId=" + group
	}
	answer := get(path)
	require.Equal(t, http.StatusOK, answer.StatusCode, answer.body)
	var s statistics
	require.NoError(t, json.Unmarshal([]byte(answer.body), &s))
	return s
}
