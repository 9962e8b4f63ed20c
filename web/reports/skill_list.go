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
	HalfScale  bool    // whether the scale is 50 to 100%, because no rate is lower
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
	Difference, Direction string // Direction is up or down; "": small, or may be chance
	changeTenths          int64  // the change in tenths of a point
}

type area struct{ prefix, name string }

// skillAreas are in the order of their first skills in the catalogue.
var skillAreas = []area{{"prompting.", "Prompting"}, {"data.", "Data"}, {"ai.", "AI"}}

const (
	allSkills = "all" // value of the query parameter skills: all skills by area; otherwise the weakest skills
	cardRows  = 8     // maximum of rows in a card of the dashboard
)

// newSkillList keeps the catalogue's order in each area.
func newSkillList(s reports.Statistics, c *comparison, u pageURL) skillList {
	belowHalf := func(k reports.SkillStat) bool { return 2*k.Correct < k.Attempts }
	l := skillList{Compared: c != nil, HalfScale: !slices.ContainsFunc(s.Skills, belowHalf)}
	l.HalfScale = l.HalfScale && (c == nil || !slices.ContainsFunc(c.earlierStats.Skills, belowHalf))
	l.OtherOrder = ui.Link{Name: "Weakest first", Path: u.Path("skills", "")}
	areas, skills := skillAreas, s.Skills
	if u.Param("skills") != allSkills {
		l.OtherOrder = ui.Link{Path: u.Path("skills", allSkills),
			Name: ui.Plural(int64(len(skills)), "By area", "All %s, by area")}
		areas = []area{{}} // a single area with all skills
		skills = byWeakness(skills)
		skills = skills[:min(len(skills), cardRows)]
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
	return l
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
	row.Before = writePercent(skillRate(before))
	row.changeTenths = int64(skillRate(now) - skillRate(before))
	size := max(row.changeTenths, -row.changeTenths)
	row.Difference = "+" + ui.Points(size)
	if row.changeTenths < 0 {
		row.Difference = "−" + ui.Points(size)
	}
	if size >= minPoints && min(now.Attempts, before.Attempts) >= minAnswers &&
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
