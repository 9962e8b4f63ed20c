package reports

import (
	"cmp"
	"slices"
	"strings"

	"dg/modules/reports"
	"dg/web/ui"
)

// skillList are the skills of a report: by area, or from the weakest to the strongest.
type skillList struct {
	Areas  []skillArea
	Orders []ui.Link
}

// skillArea is an area and its skills. Name is "" where the skills are not grouped.
type skillArea struct {
	Name string
	Rows []skillRow
}

type skillRow struct {
	ID, Name string
	Answers  int64
	Rate     string
}

// skillAreas are the areas in the order of the catalogue: the part before the first dot of their
// skills, and their names.
var skillAreas = []struct{ prefix, name string }{
	{"prompting.", "Prompting"}, {"data.", "Data"}, {"ai.", "AI"},
}

const weakestFirst = "weakest"

// newSkillList takes the skills in the order of the catalogue, and keeps it where they are grouped
// or equally weak.
func newSkillList(skills []reports.SkillStat, at address) skillList {
	weakest := at.query.Get("skills") == weakestFirst
	l := skillList{Orders: []ui.Link{
		{Name: "By area", Path: at.path("skills", "") + "#k-h", Current: !weakest},
		{Name: "Weakest first", Path: at.path("skills", weakestFirst) + "#k-h", Current: weakest},
	}}
	if weakest {
		skills = slices.Clone(skills)
		slices.SortStableFunc(skills, func(a, b reports.SkillStat) int {
			return cmp.Compare(a.CorrectRate, b.CorrectRate)
		})
		l.add("", "", skills)
		return l
	}
	for _, area := range skillAreas {
		l.add(area.name, area.prefix, skills)
	}
	return l
}

// add adds an area of the skills with the prefix, if there are any.
func (l *skillList) add(name, prefix string, skills []reports.SkillStat) {
	area := skillArea{Name: name}
	for _, k := range skills {
		if strings.HasPrefix(k.SkillID, prefix) {
			area.Rows = append(area.Rows, skillRow{
				ID:      k.SkillID,
				Name:    skillLabels[k.SkillID],
				Answers: k.Attempts,
				Rate:    writePercent(shownRate(k.CorrectRate)),
			})
		}
	}
	if len(area.Rows) > 0 {
		l.Areas = append(l.Areas, area)
	}
}
