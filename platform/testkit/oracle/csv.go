package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// CSV returns the whole file of the plays, which come in any order.
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
		end := ",,false,,"
		if !p.Completed.IsZero() {
			score := strings.TrimSuffix(
				strings.TrimSuffix(fmt.Sprintf("%d.%02d", p.Score/100, p.Score%100), "0"), ".0",
			)
			end = fmt.Sprintf("%s,%d,true,%s,%t", p.Completed.UTC().Format(instant),
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
			p.Started.UTC().Format(instant), end, strings.Join(skills, ";"),
		}, ",") + "\n"
	}
	return file
}
