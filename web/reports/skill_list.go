package reports

import (
	"cmp"
	"slices"
	"strings"

	"dg/modules/reports"
	"dg/web/ui"
)

type skillList struct {
	Areas      []skillArea
	Compared   bool
	Low, High  int     // the ends of the scale in percent, multiples of 10
	OtherOrder ui.Link // link to the weakest skills, or to all by area
}

type skillArea struct {
	Name string
	Rows []skillRow
}

// skillRow has rates as text, such as 61.3%. Before and Difference are "" without an earlier rate.
type skillRow struct {
	reports.SkillStat
	Name, Rate, Before    string
	Difference, Direction string // Direction is up or down, or "" if the change is small or may be chance
	before                reports.Percent
	changeTenths          int64 // the change in tenths of a point
}

type area struct{ prefix, name string }

// skillAreas are in the order of their first skills in the catalogue.
var skillAreas = []area{{"prompting.", "Prompting"}, {"data.", "Data"}, {"ai.", "AI"}}

const (
	allSkills = "all" // skills=all lists all skills by area; without it the weakest are listed
	cardRows  = 8     // rows in a card of the dashboard, or all if there is only one more
)

// newSkillList keeps the catalogue's order in each area.
func newSkillList(s reports.Statistics, c *comparison, u pageURL) skillList {
	l := skillList{Compared: c != nil}
	l.OtherOrder = ui.Link{Name: "Weakest first", Path: u.Path("skills", "")}
	areas, skills := skillAreas, s.Skills
	if u.Param("skills") != allSkills {
		l.OtherOrder = ui.Link{Path: u.Path("skills", allSkills), Name: "By area"}
		areas = []area{{}} // a single area with all skills
		skills = byWeakness(skills)
		if len(skills) > cardRows+1 {
			l.OtherOrder.Name = "All " + ui.Count(int64(len(skills))) + ", by area"
			skills = skills[:cardRows]
		}
	}
	for _, a := range areas {
		shown := skillArea{Name: a.name}
		for _, k := range skills {
			if strings.HasPrefix(k.SkillID, a.prefix) {
				shown.Rows = append(shown.Rows, newSkillRow(k, s, c))
			}
		}
		if len(shown.Rows) > 0 {
			l.Areas = append(l.Areas, shown)
		}
	}
	l.scale()
	return l
}

const minScale = 20 // points

// scale fits the scale to the rates of the rows.
func (l *skillList) scale() {
	low, high := reports.Percent(fullRate), reports.Percent(0)
	for _, a := range l.Areas {
		for _, row := range a.Rows {
			rates := []reports.Percent{skillRate(row.SkillStat)}
			if row.Before != "" {
				rates = append(rates, row.before)
			}
			low = min(low, slices.Min(rates))
			high = max(high, slices.Max(rates))
		}
	}
	l.High = (int(high) + 99) / 100 * 10
	l.Low = max(0, min(int(low)/100*10, l.High-minScale))
	l.High = max(l.High, l.Low+minScale)
}

// Middle returns the middle of the scale in percent.
func (l skillList) Middle() int { return (l.Low + l.High) / 2 }

// NowAt returns where the row's rate is on the scale, as a share of its width such as 61.3%.
func (l skillList) NowAt(r skillRow) string { return l.at(skillRate(r.SkillStat)) }

// BeforeAt returns where the row's earlier rate is.
func (l skillList) BeforeAt(r skillRow) string { return l.at(r.before) }

func (l skillList) at(rate reports.Percent) string {
	return writePercent((int64(rate) - 10*int64(l.Low)) * 100 / int64(l.High-l.Low))
}

// newSkillRow compares complete days.
func newSkillRow(k reports.SkillStat, s reports.Statistics, c *comparison) skillRow {
	row := skillRow{SkillStat: k, Name: skillLabels[k.SkillID], Rate: writePercent(skillRate(k))}
	if c == nil {
		return row
	}
	complete := *cmp.Or(c.completeStats, &s)
	now, before := findSkill(complete, k.SkillID), findSkill(*c.earlierStats, k.SkillID)
	if now.Attempts == 0 || before.Attempts == 0 {
		return row
	}
	row.before = skillRate(before)
	row.Before = writePercent(row.before)
	row.changeTenths = int64(skillRate(now) - row.before)
	row.Difference = signed(row.changeTenths, ui.Points)
	if min(now.Attempts, before.Attempts) >= minAnswers &&
		pointApart(now.Correct, now.Attempts, before.Correct, before.Attempts) &&
		skillsDiffer(now, complete.UniquePlayers, before, c.earlierStats.UniquePlayers) {
		row.Direction = downUp.choose(row.changeTenths)
	}
	return row
}

// TooFewAnswers reports whether the skill has too few answers to be named.
func (r skillRow) TooFewAnswers() bool { return r.Attempts < minAnswers }

func skillRate(k reports.SkillStat) reports.Percent { return reports.PercentOf(k.Correct, k.Attempts) }

func findSkill(s reports.Statistics, id string) reports.SkillStat {
	if i := slices.IndexFunc(s.Skills, func(k reports.SkillStat) bool { return k.SkillID == id }); i >= 0 {
		return s.Skills[i]
	}
	return reports.SkillStat{}
}
