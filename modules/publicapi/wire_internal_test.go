package publicapi

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/org"
	"dg/modules/reports"
)

// modelJSON is the model: encoding/json and package time.
func modelJSON(t *testing.T, s reports.Statistics) string {
	number := func(d interface{ Append([]byte) []byte }) json.Number {
		return json.Number(d.Append(nil))
	}
	type day struct {
		Date  string      `json:"date"`
		Plays int64       `json:"plays"`
		Avg   json.Number `json:"avgScorePercent"`
	}
	type player struct {
		Label  string      `json:"playerLabel"`
		Plays  int64       `json:"plays"`
		Best   json.Number `json:"bestScorePercent"`
		Last   string      `json:"lastPlayedAt"`
		Passed bool        `json:"passed"`
	}
	type skill struct {
		ID       string      `json:"skillId"`
		Attempts int64       `json:"attempts"`
		Rate     json.Number `json:"correctRate"`
	}
	days := []day{}
	for _, d := range s.Daily {
		days = append(days, day{d.Date, d.Plays, number(d.AvgScore)})
	}
	players := []player{}
	for _, p := range s.Players() {
		last := p.LastPlayedAt.Format("2006-01-02T15:04:05.000Z")
		players = append(players, player{p.Label, p.Plays, number(p.BestScore), last, p.Passed})
	}
	skills := []skill{}
	for _, k := range s.Skills {
		skills = append(skills, skill{k.SkillID, k.Attempts, number(k.CorrectRate)})
	}
	text, err := json.Marshal(struct {
		Plays      int64       `json:"plays"`
		Unique     int64       `json:"uniquePlayers"`
		Avg        json.Number `json:"avgScorePercent"`
		Completion json.Number `json:"completionRate"`
		Pass       json.Number `json:"passRate"`
		Mode       string      `json:"reportingMode"`
		Suppressed bool        `json:"suppressed"`
		Days       []day       `json:"daily"`
		Players    []player    `json:"players"`
		Skills     []skill     `json:"skills"`
	}{s.Plays, s.UniquePlayers, number(s.AvgScore), number(s.CompletionRate), number(s.PassRate),
		string(s.ReportingMode), s.Suppressed, days, players, skills})
	require.NoError(t, err)
	return string(text)
}

// openapi.yaml, Statistics: the bytes are those of encoding/json, for any names, instants and number
// of players, whether rows fit into their share of the buffer or not.
func TestStatisticsAreEncodedAsByEncodingJSON(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	names := []string{"", "P-7K3M9QXA2F", "Zoë <b>\"O'Neil\\\"</b> & Søn", "\u2028\x00\t\xff", "日本語",
		strings.Repeat("long ", 60)}
	for _, n := range []int{0, 1, 2, parallelRows - 1, parallelRows, 2*parallelRows + 1, 30_000} {
		for _, odd := range []int{0, n / 2, n} { // the first players, whose rows may not fit
			rows := make([]reports.PlayerStat, n)
			for i := range rows {
				rows[i] = reports.PlayerStat{
					Label:     fmt.Sprintf("Player %d", i),
					Plays:     1 + random.Int64N(1<<random.IntN(31)),
					BestScore: reports.Percent(random.IntN(1001)),
					LastPlayedAt: time.UnixMilli(random.Int64N(253_402_300_800_000+62_135_596_800_000) -
						62_135_596_800_000).UTC(), // years 1 to 9999
					Passed: random.IntN(2) == 0,
				}
			}
			for i := range odd {
				rows[i].Label = names[random.IntN(len(names))]
			}
			s := reports.Statistics{
				Plays:          random.Int64N(1e9),
				UniquePlayers:  int64(n),
				CompletionRate: reports.Rate(random.IntN(10_001)),
				ReportingMode:  org.Nominative,
				Daily: slices.Repeat([]reports.DailyStat{{Date: "2026-03-01", Plays: 1e17,
					AvgScore: 625}}, random.IntN(367)),
				Skills: []reports.SkillStat{{SkillID: "phishing", Attempts: 3, CorrectRate: 6667}},
				Player: func(i int) reports.PlayerStat { return rows[i] },
			}
			require.Equal(t, modelJSON(t, s), string(statisticsJSON(s)), "%d players", n)
		}
	}
	hidden := reports.Statistics{ReportingMode: org.Pseudonymous, Suppressed: true}
	require.Equal(t, modelJSON(t, hidden), string(statisticsJSON(hidden)))
}
