package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"dg/modules/reports"
	"dg/web/ui"
)

// clause is part of the answer. Strong is bold, and a link if Path is set. Phones hide Detail.
type clause struct{ Before, Strong, Path, Detail, After string }

// maxPhoneAnswer is how many characters fit into three lines of a phone.
const maxPhoneAnswer = 104

// newAnswer says who played, how they did, and which skill is weakest. A change that
// measure.compare does not report as changed is left out, or called unclear. s must have plays.
func newAnswer(s reports.Statistics, c *comparison) []clause {
	who, how := whoPlayed(s, c), resultClause(s, c)
	if c != nil && who.Detail == "" && how == resultClause(s, nil) {
		who.Detail = c.unchangedDetail(uniquePlayers, s)
	}
	skills := skillClauses(s, c)
	length := len(who.Strong + who.After + how.Before + how.After)
	for i, k := range skills {
		length += len(k.Before + k.Strong + k.After)
		skills[i].Path = "#skills"
	}
	if len(skills) > 0 && length > maxPhoneAnswer {
		how = clause{Detail: how.Before + how.Detail + how.After}
	}
	return append([]clause{who, how}, skills...)
}

// newForksAnswer says how much was played, and which fork's plays changed most, if by more than noise.
func newForksAnswer(s reports.Statistics, c *comparison, forks []forkRow) []clause {
	total := countClause(plays, s, c, "")
	if c != nil && total.Detail == "" {
		total.Detail = c.unchangedDetail(plays, s)
	}
	if c == nil || len(forks) < 2 {
		return []clause{total}
	}
	most := slices.MaxFunc(forks, func(a, b forkRow) int {
		return cmp.Compare(max(a.difference, -a.difference), max(b.difference, -b.difference))
	})
	if !countsDiffer(most.Plays, most.Plays-most.difference) {
		return []clause{total}
	}
	return []clause{total, {Strong: most.Title, Path: most.Path, After: fmt.Sprintf(" %s the most plays: %s.",
		verbs{"lost", "gained"}.choose(most.difference), ui.Count(max(most.difference, -most.difference)))}}
}

// unchangedDetail compares a count that has not changed by more than noise with the earlier one.
func (c *comparison) unchangedDetail(m measure, s reports.Statistics) string {
	now, before, _, _ := m.compare(s, c)
	text := ", "
	if c.completeStats != nil {
		text += ui.Count(now) + " up to yesterday, "
	}
	switch difference := max(now-before, before-now); {
	case 10*difference > before:
		return text + "no clear change from " + ui.Count(before)
	case difference > 0:
		text += "about "
	}
	when := "in the previous period"
	if c.YearEarlier {
		when = "52 weeks earlier"
	}
	return fmt.Sprintf("%sas many as %s (%s)", text, when, ui.Count(before))
}

// whoPlayed describes the number of players, or of their plays if only that has changed.
func whoPlayed(s reports.Statistics, c *comparison) clause {
	players := countClause(uniquePlayers, s, c, "")
	if c == nil || players.Detail != "" {
		return players
	}
	by := ""
	if n, _, _, _ := uniquePlayers.compare(s, c); n > 0 {
		by = ui.Plural(n, "\u00a0by\u00a01\u00a0person", "\u00a0by\u00a0%s\u00a0people")
	}
	if theirs := countClause(plays, s, c, by); theirs.Detail != "" {
		theirs.Detail += c.mostOfChange(s)
		return theirs
	}
	return players
}

// mostOfChange names the week with more than half of the change of plays, or all of it, even if
// other weeks changed in the other direction. It returns "" if the week's change is within the
// noise, or if the days do not add up to the change.
func (c *comparison) mostOfChange(s reports.Statistics) string {
	if len(s.Daily) <= ui.MaxDailyTicks {
		return ""
	}
	now, before, _, _ := plays.compare(s, c)
	first, _ := time.Parse(time.DateOnly, s.Daily[0].Date)
	var most week
	var contributions int64 // of the weeks that changed in the same direction
	sign := int64(cmp.Compare(now, before))
	total := sign * (now - before)
	contribution := func(w week) int64 { return sign * (w.now - w.before) }
	for _, w := range weeksOf(first, s.Daily, c.earlierStats.Daily) {
		contributions += max(0, contribution(w))
		if contribution(w) > contribution(most) {
			most = w
		}
		now -= w.now
		before -= w.before
	}
	if now != 0 || before != 0 || 2*contribution(most) <= contributions ||
		!countsDiffer(most.now, most.before) {
		return ""
	}
	part := "most"
	if contribution(most) >= total {
		part = "all"
	}
	return fmt.Sprintf(", %s of the %s in the week of %s", part, verbs{"fall", "rise"}.choose(sign),
		first.AddDate(0, 0, most.from).Format("2\u00a0Jan"))
}

// countClause describes the number of plays or players and its change, if it has changed. by follows the number.
func countClause(m measure, s reports.Statistics, c *comparison, by string) clause {
	n, _ := m.read(s)
	noun := m.counted[1]
	played := ui.Plural(n, "1 "+m.counted[0], "%s "+noun)
	now, before, changed, _ := m.compare(s, c)
	share := formatShare(now, before)
	switch {
	case !changed:
		return clause{Strong: played, After: "."}
	case now < before:
		played = share + " fewer " + noun
	case strings.HasPrefix(share, "×"):
		played = strings.TrimPrefix(share, "×") + " times as many " + noun
	default:
		played = share + " more " + noun
	}
	return clause{
		Strong: c.upToYesterday(played),
		Detail: fmt.Sprintf(" (%s%s,\u00a0%s\u00a0from\u00a0%s)", ui.Count(now), by,
			downUp.choose(now-before), ui.Count(before)),
		After: ".",
	}
}

// upToYesterday adds "Up to yesterday" to a period with today: only complete days are compared.
func (c *comparison) upToYesterday(sentence string) string {
	if c.completeStats == nil {
		return sentence
	}
	return "Up to yesterday, " + strings.ToLower(sentence[:1]) + sentence[1:]
}

// resultClause names the first figure that has changed: score, pass rate or completion rate.
func resultClause(s reports.Statistics, c *comparison) clause {
	if s.Completed == 0 {
		return clause{Before: "No play was finished."}
	}
	for _, m := range []measure{score, passRate, completionRate} {
		now, before, changed, _ := m.compare(s, c)
		if !changed {
			continue
		}
		points := ui.Points(max(now-before, before-now))
		result := clause{After: ".", Before: fmt.Sprintf("The average score %s %s points to %s",
			verbs{"fell", "rose"}.choose(now-before), points, writePercent(now))}
		if m.sums != nil {
			part, whole := m.sums(*cmp.Or(c.completeStats, &s))
			result = shareClause(writePercent(now)+" of "+m.whole+" "+m.predicate, part, whole)
			result.After = fmt.Sprintf(", %s %s points.", downUp.choose(now-before), points)
		}
		result.Before = c.upToYesterday(result.Before)
		return result
	}
	return passClause(s)
}

func shareClause(share string, part, whole int64) clause {
	return clause{Before: share, Detail: fmt.Sprintf(" (%s of %s)", ui.Count(part), ui.Count(whole)), After: "."}
}

var smallNumbers = []string{2: "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// passClause says "one in n failed" if n is small and its rounding error is below one point. Other
// shares are given as the pass rate, except none and all.
func passClause(s reports.Statistics) clause {
	failed := s.Completed - s.Passed
	switch {
	case s.Completed == 1:
		return clause{Before: "The only finished play " + [2]string{"passed.", "failed."}[failed]}
	case failed == 0:
		return shareClause("Every finished play passed", s.Passed, s.Completed)
	case s.Passed == 0:
		return shareClause("No finished play passed", s.Passed, s.Completed)
	}
	n := (2*s.Completed + failed) / (2 * failed)
	roundingError := max(failed*n-s.Completed, s.Completed-failed*n)
	if 2 <= n && n < int64(len(smallNumbers)) && 100*roundingError < s.Completed*n {
		return shareClause("One in "+smallNumbers[n]+" finished plays failed", failed, s.Completed)
	}
	return shareClause(passRate.text(s)+" of finished plays passed", s.Passed, s.Completed)
}

// minAnswers is how many answers a skill needs to be named, and its change to be coloured.
const minAnswers = 20

// skillClauses names the clearly weakest skill, else the one that fell most, else the two weakest.
func skillClauses(s reports.Statistics, c *comparison) []clause {
	weakest := weakestSkill(s)
	if c == nil {
		return weakest
	}
	if len(weakest) == 1 {
		row := newSkillRow(byWeakness(s.Skills)[0], s, c)
		if c.completeStats == nil && row.Direction == "down" {
			weakest[0].After = fmt.Sprintf(", down %s points.", ui.Points(-row.changeTenths))
		}
		return weakest
	}
	var fallen skillRow
	for _, k := range cmp.Or(c.completeStats, &s).Skills {
		if row := newSkillRow(k, s, c); row.Direction == "down" && row.changeTenths < fallen.changeTenths {
			fallen = row
		}
	}
	if fallen.changeTenths == 0 {
		return weakest
	}
	return []clause{{
		Before: c.upToYesterday("The skill "),
		Strong: fallen.Name,
		After:  " fell " + ui.Points(-fallen.changeTenths) + " points.",
	}}
}

// weakestSkill names the weakest skill if its difference to the next exceeds their noise. Otherwise
// it names the two weakest of at least three. It returns nil if neither applies.
func weakestSkill(s reports.Statistics) []clause {
	skills := byWeakness(s.Skills)
	if len(skills) < 2 || skills[0].Attempts < minAnswers {
		return nil
	}
	a, b := skills[0], skills[1]
	if skillsDiffer(a, s.UniquePlayers, b, s.UniquePlayers) {
		return []clause{{
			Before: "Weakest skill: ",
			Strong: skillLabels[a.SkillID] + ", " + writePercent(skillRate(a)),
			After:  ".",
		}}
	}
	if len(skills) == 2 || b.Attempts < minAnswers || compareSkills(b, skills[2]) == 0 {
		return nil
	}
	return []clause{
		{Before: "Weakest skills: ", Strong: skillLabels[a.SkillID]},
		{Before: "and ", Strong: skillLabels[b.SkillID], After: "."},
	}
}

func skillsDiffer(a reports.SkillStat, playersA int64, b reports.SkillStat, playersB int64) bool {
	return ratesDiffer(a.Correct, a.Attempts, playersA, b.Correct, b.Attempts, playersB)
}

func compareSkills(a, b reports.SkillStat) int {
	return cmp.Compare(a.Correct*b.Attempts, b.Correct*a.Attempts)
}

// byWeakness sorts the weakest skills first. Equally weak skills stay in the catalogue's order.
func byWeakness(skills []reports.SkillStat) []reports.SkillStat {
	sorted := slices.Clone(skills)
	slices.SortStableFunc(sorted, compareSkills)
	return sorted
}
