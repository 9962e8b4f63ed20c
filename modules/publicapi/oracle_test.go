package publicapi_test

import (
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"
	"time"

	"dg/modules/games"
)

// oracle computes the figures of rules.md, Figures, from a list of plays by their definition: exact fractions, rounded half
// away from zero at the end. labels are the players' labels, by their index.
type oracle struct {
	history  *history
	labels   []string
	fork     string
	from, to time.Time // first instants of the first and last day
	group    *group
}

// rounded rounds a/b, half away from zero, to decimals.
func rounded(a, b int64, decimals int) float64 {
	if b == 0 {
		return 0
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil))
	shifted := new(big.Rat).Mul(big.NewRat(a, b), scale)
	shifted.Add(shifted, big.NewRat(1, 2)) // nothing is negative
	whole := new(big.Int).Quo(shifted.Num(), shifted.Denom())
	f, _ := new(big.Rat).Quo(new(big.Rat).SetInt(whole), scale).Float64()
	return f
}

func (o oracle) plays() []play {
	var plays []play
	for _, p := range o.history.plays {
		day := p.started.Truncate(24 * time.Hour)
		inGroup := o.group == nil || slices.Contains(o.group.members, p.player)
		if p.fork == o.fork && !day.Before(o.from) && !day.After(o.to) && inGroup {
			plays = append(plays, p)
		}
	}
	sort.Slice(plays, func(i, j int) bool {
		if !plays[i].started.Equal(plays[j].started) {
			return plays[i].started.Before(plays[j].started)
		}
		return plays[i].id < plays[j].id
	})
	return plays
}

func (o oracle) suppressed() bool {
	if o.group == nil {
		return false
	}
	active := map[int]bool{}
	for _, p := range o.plays() {
		active[p.player] = true
	}
	return len(active) < 5
}

func (o oracle) statistics() ForkStatsDTO {
	s := ForkStatsDTO{
		ReportingMode: ReportingMode(o.history.mode), Suppressed: o.suppressed(),
		Daily: []DailyStatDTO{}, Players: []PlayerStatDTO{}, Skills: []SkillStatDTO{},
	}
	if s.Suppressed {
		return s
	}
	plays := o.plays()
	s.Plays = int64(len(plays))
	var completed, passed, score int64
	for _, p := range plays {
		if !p.completed.IsZero() {
			completed++
			score += int64(p.score)
		}
		if p.passed {
			passed++
		}
	}
	s.AvgScorePercent = rounded(score, 100*completed, 1)
	s.CompletionRate = rounded(completed, s.Plays, 4)
	s.PassRate = rounded(passed, completed, 4)
	s.Daily = o.daily(plays)
	s.Players = o.players(plays)
	s.UniquePlayers = int64(len(s.Players))
	for i := range games.SkillCount {
		var attempts, correct int64
		id := games.Skill(i).ID()
		for _, p := range plays {
			for _, a := range p.answers {
				if a.skill == id {
					attempts += int64(a.attempts)
					correct += int64(a.correct)
				}
			}
		}
		if attempts > 0 {
			s.Skills = append(s.Skills, SkillStatDTO{SkillId: SkillID(id), Attempts: attempts, CorrectRate: rounded(correct, attempts, 4)})
		}
	}
	return s
}

func (o oracle) daily(plays []play) []DailyStatDTO {
	var days []DailyStatDTO
	for day := o.from; !day.After(o.to); day = day.AddDate(0, 0, 1) {
		var n, completed, score int64
		for _, p := range plays {
			if p.started.Truncate(24 * time.Hour).Equal(day) {
				n++
				if !p.completed.IsZero() {
					completed++
					score += int64(p.score)
				}
			}
		}
		days = append(days, DailyStatDTO{Date: day.Format(time.DateOnly), Plays: n, AvgScorePercent: rounded(score, 100*completed, 1)})
	}
	return days
}

func (o oracle) players(plays []play) []PlayerStatDTO {
	rows := []PlayerStatDTO{}
	for who := range o.history.players {
		row := PlayerStatDTO{PlayerLabel: o.labels[who]}
		best := 0
		for _, p := range plays {
			if p.player != who {
				continue
			}
			row.Plays++
			row.Passed = row.Passed || p.passed
			if !p.completed.IsZero() {
				best = max(best, p.score)
			}
			if p.started.After(row.LastPlayedAt) {
				row.LastPlayedAt = p.started
			}
		}
		if row.Plays > 0 {
			row.BestScorePercent = rounded(int64(best), 100, 1)
			rows = append(rows, row)
		}
	}
	sort.Slice(rows, func(i, j int) bool { return sortKey(rows[i]) < sortKey(rows[j]) })
	return rows
}

// sortKey is a text whose order is that of the field players in rules.md, Figures.
func sortKey(p PlayerStatDTO) string {
	passed := 1
	if p.Passed {
		passed = 0
	}
	return fmt.Sprintf("%09d %06.1f %s\x00%020d %d", 999_999_999-p.Plays, 1000-p.BestScorePercent, p.PlayerLabel,
		int64(1e18)-p.LastPlayedAt.UnixMilli(), passed)
}

// csv is the whole file.
func (o oracle) csv() string {
	file := "playId,forkId,releaseNumber,playerLabel,startedAt,completedAt,durationSeconds,completed,scorePercent,passed,skills\n"
	if o.suppressed() {
		return file
	}
	const instant = "2006-01-02T15:04:05.000Z"
	for _, p := range o.plays() {
		release := ""
		if p.release > 0 {
			release = fmt.Sprint(p.release)
		}
		end := ",,false,,"
		if !p.completed.IsZero() {
			score := fmt.Sprintf("%d.%02d", p.score/100, p.score%100)
			score = strings.TrimSuffix(strings.TrimRight(score, "0"), ".")
			if p.score == 0 {
				score = "0"
			}
			end = fmt.Sprintf("%s,%d,true,%s,%t", p.completed.Format(instant), p.completed.Sub(p.started)/time.Second, score, p.passed)
		}
		var skills []string
		for i := range games.SkillCount {
			for _, a := range p.answers {
				if a.skill == games.Skill(i).ID() {
					skills = append(skills, fmt.Sprintf("%s=%d/%d", a.skill, a.correct, a.attempts))
				}
			}
		}
		file += strings.Join([]string{p.id, p.fork, release, o.labels[p.player], p.started.Format(instant), end, strings.Join(skills, ";")}, ",") + "\n"
	}
	return file
}
