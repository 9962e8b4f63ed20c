// Package oracle computes statistics and exports by their definition (modules/publicapi/rules.md):
// exact fractions, rounded half away from zero at the end. It shares no code with the program.
package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

const instantLayout = "2006-01-02T15:04:05.000Z"

type Play struct {
	ID, Fork  string
	Player    int // index in Query.Labels
	Release   int // number of the release; 0: none
	Started   time.Time
	Completed time.Time // zero: the play is unfinished
	Score     int       // in hundredths of a percent
	Passed    bool
	Answers   []SkillAnswers
}

// SkillAnswers counts a play's answers to one skill.
type SkillAnswers struct {
	Skill             string
	Attempts, Correct int
}

// Query selects the plays of a report.
type Query struct {
	Fork     string
	From, To time.Time    // first instant of the first day, and of the last day
	Members  map[int]bool // indexes of the group's members; nil: all players
	Mode     string       // the reporting mode
	Keys     []string     // values of playerKey, by player
	Labels   []string     // values of playerLabel, by player
	Skills   []string     // ids of the catalogue, in its order
}

func (q Query) includes(p Play) bool {
	return p.Fork == q.Fork && !p.Started.Before(q.From) &&
		p.Started.Before(q.To.AddDate(0, 0, 1)) &&
		(q.Members == nil || q.Members[p.Player])
}

// CSV returns the complete file of the plays, which may come in any order.
func (q Query) CSV(plays []Play) string {
	file := "playId,forkId,releaseNumber,playerKey,playerLabel," +
		"startedAt,completedAt,durationSeconds,completed,scorePercent,passed,skills\n"
	if q.Statistics(slices.Values(plays)).Suppressed {
		return file
	}
	plays = slices.DeleteFunc(slices.Clone(plays), func(p Play) bool { return !q.includes(p) })
	slices.SortFunc(plays, func(a, b Play) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
	})
	for _, p := range plays {
		release := ""
		if p.Release > 0 {
			release = fmt.Sprint(p.Release)
		}
		completion := ",,false,,"
		if !p.Completed.IsZero() {
			score := strings.TrimSuffix(
				strings.TrimSuffix(fmt.Sprintf("%d.%02d", p.Score/100, p.Score%100), "0"), ".0",
			)
			completion = fmt.Sprintf("%s,%d,true,%s,%t", p.Completed.UTC().Format(instantLayout),
				p.Completed.Sub(p.Started)/time.Second, score, p.Passed)
		}
		var skills []string
		for _, id := range q.Skills {
			for _, a := range p.Answers {
				if a.Skill == id {
					skills = append(skills, fmt.Sprintf("%s=%d/%d", id, a.Correct, a.Attempts))
				}
			}
		}
		file += strings.Join([]string{
			p.ID, p.Fork, release, q.Keys[p.Player], q.Labels[p.Player],
			p.Started.UTC().Format(instantLayout), completion, strings.Join(skills, ";"),
		}, ",") + "\n"
	}
	return file
}
