package oracle

import (
	"cmp"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"time"
)

// Statistics is the response of the statistics endpoint, with the fields in order.
type Statistics struct {
	Plays           int64    `json:"plays"`
	UniquePlayers   int64    `json:"uniquePlayers"`
	AvgScorePercent float64  `json:"avgScorePercent"`
	CompletionRate  float64  `json:"completionRate"`
	PassRate        float64  `json:"passRate"`
	ReportingMode   string   `json:"reportingMode"`
	Suppressed      bool     `json:"suppressed"`
	Daily           []Day    `json:"daily"`
	Players         []Player `json:"players"`
	Skills          []Skill  `json:"skills"`
}

type Day struct {
	Date            string  `json:"date"`
	Plays           int64   `json:"plays"`
	AvgScorePercent float64 `json:"avgScorePercent"`
}

type Player struct {
	PlayerLabel      string  `json:"playerLabel"`
	Plays            int64   `json:"plays"`
	BestScorePercent float64 `json:"bestScorePercent"`
	LastPlayedAt     string  `json:"lastPlayedAt"`
	Passed           bool    `json:"passed"`
}

type Skill struct {
	SkillID     string  `json:"skillId"`
	Attempts    int64   `json:"attempts"`
	CorrectRate float64 `json:"correctRate"`
}

// totals add up the plays of a day, of a player or of a whole report.
type totals struct {
	plays, completed, passed, score int64
	bestScore                       int
	lastStarted                     time.Time
}

func (t *totals) add(p Play) {
	t.plays++
	if !p.Completed.IsZero() {
		t.completed++
		t.score += int64(p.Score)
		t.bestScore = max(t.bestScore, p.Score)
	}
	if p.Passed {
		t.passed++
	}
	if p.Started.After(t.lastStarted) {
		t.lastStarted = p.Started
	}
}

// Statistics computes the figures from plays in any order, in one pass.
func (q Query) Statistics(plays iter.Seq[Play]) Statistics {
	var total totals
	days := map[string]*totals{}
	players := map[int]*totals{}
	skills := map[string]*SkillAnswers{}
	for p := range plays {
		if !q.includes(p) {
			continue
		}
		total.add(p)
		getOrAdd(days, p.Started.UTC().Format(time.DateOnly)).add(p)
		getOrAdd(players, p.Player).add(p)
		for _, a := range p.Answers {
			skill := getOrAdd(skills, a.Skill)
			skill.Attempts += a.Attempts
			skill.Correct += a.Correct
		}
	}
	s := Statistics{ReportingMode: q.Mode, Daily: []Day{}, Players: []Player{}, Skills: []Skill{}}
	if s.Suppressed = q.Members != nil && len(players) < 5; s.Suppressed {
		return s
	}
	s.Plays = total.plays
	s.UniquePlayers = int64(len(players))
	s.AvgScorePercent = roundedRatio(total.score, 100*total.completed, 1)
	s.CompletionRate = roundedRatio(total.completed, total.plays, 4)
	s.PassRate = roundedRatio(total.passed, total.completed, 4)
	for day := q.From; !day.After(q.To); day = day.AddDate(0, 0, 1) {
		d := getOrAdd(days, day.Format(time.DateOnly))
		s.Daily = append(s.Daily,
			Day{day.Format(time.DateOnly), d.plays, roundedRatio(d.score, 100*d.completed, 1)})
	}
	for player, p := range players {
		s.Players = append(s.Players, Player{q.Labels[player], p.plays,
			roundedRatio(int64(p.bestScore), 100, 1), p.lastStarted.UTC().Format(instantLayout), p.passed > 0})
	}
	slices.SortFunc(s.Players, byRank)
	for _, id := range q.Skills {
		if a := getOrAdd(skills, id); a.Attempts > 0 {
			s.Skills = append(s.Skills,
				Skill{id, int64(a.Attempts), roundedRatio(int64(a.Correct), int64(a.Attempts), 4)})
		}
	}
	return s
}

func getOrAdd[K comparable, V any](m map[K]*V, key K) *V {
	if m[key] == nil {
		m[key] = new(V)
	}
	return m[key]
}

// byRank orders players. If all other fields are equal, a player who passed comes first.
func byRank(a, b Player) int {
	passedRank := map[bool]int{true: 0, false: 1}
	return cmp.Or(cmp.Compare(b.Plays, a.Plays),
		cmp.Compare(b.BestScorePercent, a.BestScorePercent),
		cmp.Compare(a.PlayerLabel, b.PlayerLabel), cmp.Compare(b.LastPlayedAt, a.LastPlayedAt),
		passedRank[a.Passed]-passedRank[b.Passed])
}

// roundedRatio rounds a/b, half away from zero, to decimals.
func roundedRatio(a, b int64, decimals int) float64 {
	if b == 0 {
		return 0
	}
	f, _ := strconv.ParseFloat(big.NewRat(a, b).FloatString(decimals), 64) // FloatString always gives a number
	return f
}
