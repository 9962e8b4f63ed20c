package reports

import (
	"cmp"
	"slices"
	"strings"

	"dg/modules/reports"
	"dg/web/ui"
)

type skillList struct {
	Areas  []skillArea
	Orders []ui.Link
}

type skillArea struct {
	Name string
	Rows []skillRow
}

type skillRow struct {
	reports.SkillStat
	Name, Rate string
}

type area struct{ prefix, name string }

// skillAreas are in the order of their first skills in the catalogue.
var skillAreas = []area{{"prompting.", "Prompting"}, {"data.", "Data"}, {"ai.", "AI"}}

const weakestFirst = "weakest"

// newSkillList keeps the catalogue's order in each area, and among equally weak skills.
func newSkillList(skills []reports.SkillStat, at pageURL) skillList {
	weakest := at.Param("skills") == weakestFirst
	l := skillList{Orders: []ui.Link{
		{Name: "By area", Path: at.Path("skills", "") + "#k-h", Current: !weakest},
		{Name: "Weakest first", Path: at.Path("skills", weakestFirst) + "#k-h", Current: weakest},
	}}
	areas := skillAreas
	if weakest {
		areas = []area{{}} // one area of all skills
		skills = slices.Clone(skills)
		slices.SortStableFunc(skills, func(a, b reports.SkillStat) int {
			return cmp.Compare(a.CorrectRate, b.CorrectRate)
		})
	}
	for _, a := range areas {
		shown := skillArea{Name: a.name}
		for _, k := range skills {
			if strings.HasPrefix(k.SkillID, a.prefix) {
				rate := writePercent(shownRate(k.CorrectRate))
				shown.Rows = append(shown.Rows, skillRow{k, skillLabels[k.SkillID], rate})
			}
		}
		if len(shown.Rows) > 0 {
			l.Areas = append(l.Areas, shown)
		}
	}
	return l
}
