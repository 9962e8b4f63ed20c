package reports

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/modules/reports"
	"dg/web/ui"
)

// shownSkills returns the areas of a list, each followed by its ids.
func shownSkills(l skillList) (all []string) {
	for _, area := range l.Areas {
		all = append(all, "# "+area.Name)
		for _, row := range area.Rows {
			all = append(all, row.SkillID)
		}
	}
	return all
}

// Skills are listed by area in the order of the catalogue, or from the weakest on.
func TestSkillsAreGroupedByArea(t *testing.T) {
	t.Parallel()
	at := pageURL{"/r", url.Values{"from": {"2026-03-01"}, "to": {"2026-03-02"}}}
	skills := []reports.SkillStat{
		{SkillID: "data.quality.formats", CorrectRate: 5000},
		{SkillID: "ai.usage.good-fit", CorrectRate: 2000},
		{SkillID: "data.reading.charts", CorrectRate: 2000},
	}
	l := newSkillList(skills, at)
	require.Equal(t,
		[]string{
			"# Data", "data.quality.formats", "data.reading.charts", "# AI", "ai.usage.good-fit",
		}, shownSkills(l))
	require.Equal(t, []ui.Link{
		{Name: "By area", Path: "/r?from=2026-03-01&to=2026-03-02#k-h", Current: true},
		{Name: "Weakest first", Path: "/r?from=2026-03-01&skills=weakest&to=2026-03-02#k-h"},
	}, l.Orders)
	at.query.Set("skills", "weakest")
	l = newSkillList(skills, at)
	require.Equal(t,
		[]string{"# ", "ai.usage.good-fit", "data.reading.charts", "data.quality.formats"},
		shownSkills(l))
	require.True(t, l.Orders[1].Current)
	require.Equal(t, "data.quality.formats", skills[0].SkillID, "the caller's order stays")
}

// Every skill of the catalogue has a name and an area.
func TestEverySkillHasANameAndAnArea(t *testing.T) {
	t.Parallel()
	var all []reports.SkillStat
	for i := range games.SkillCount {
		all = append(all, reports.SkillStat{SkillID: games.Skill(i).ID()})
	}
	shown := newSkillList(all, pageURL{})
	require.Len(t, shownSkills(shown), games.SkillCount+len(skillAreas))
	require.Len(t, skillLabels, games.SkillCount)
	for _, area := range shown.Areas {
		for _, row := range area.Rows {
			require.NotEmpty(t, row.Name, row.SkillID)
		}
	}
}
