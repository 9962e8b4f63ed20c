package reports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
)

// sums are plays, completed plays, passed plays, players, and the average score in tenths.
type sums [5]int64

func (s sums) statistics(skills ...reports.SkillStat) *reports.Statistics {
	return &reports.Statistics{
		Plays: s[0], Completed: s[1], Passed: s[2], UniquePlayers: s[3],
		AvgScore: reports.Percent(s[4]), Skills: skills,
	}
}

// skill returns a skill with a number of answers, correct ones among them.
func skill(id string, correct, answers int64) reports.SkillStat {
	return reports.SkillStat{SkillID: id, Attempts: answers, Correct: correct}
}

const (
	formats    = "data.quality.formats"
	examples   = "prompting.examples"
	duplicates = "data.quality.duplicates"
)

// The sentence names who played, how they did and the weakest skill. It names a change of 5% (rates:
// 1 point) or more that exceeds its noise, and no other. Strong words are between asterisks.
func TestAnswerNamesWhatTheFiguresProve(t *testing.T) {
	steady := sums{800, 700, 500, 400, 760}
	type skills = []reports.SkillStat
	for _, c := range []struct {
		name          string
		now, before   sums // before: zero without a comparison
		complete      sums // zero: all days are complete
		skills        skills
		who, how, top string // the clauses; how "": as the steady figures
	}{
		{name: "the demo's month", now: sums{156, 146, 96, 89, 766}, before: sums{249, 235, 152, 122, 753},
			skills: skills{skill(formats, 109, 160), skill(examples, 113, 164), skill(duplicates, 194, 250)},
			who:    "*27% fewer people played* (89, were 122).", how: "One in three finished plays failed.",
			top: "Weakest skills: *Formats and Giving examples*."},
		// Who played.
		{name: "no comparison", now: steady, who: "*400 people played*."},
		{name: "one player", now: sums{1, 1, 1, 1, 900},
			who: "*1 person played*.", how: "The only finished play passed."},
		{name: "one play, unfinished", now: sums{1, 0, 0, 1, 0},
			who: "*1 person played*.", how: "No play was finished."},
		{name: "thousands", now: sums{800, 700, 500, 12_345, 760}, who: "*12,345 people played*."},
		{name: "unchanged", now: steady, before: steady, who: "*400 people played*."},
		{name: "4% fewer of many", now: sums{800, 700, 500, 96_000, 760}, before: sums{800, 700, 500, 100_000, 760},
			who: "*96,000 people played*."},
		{name: "5% fewer of many", now: sums{800, 700, 500, 95_000, 760}, before: sums{800, 700, 500, 100_000, 760},
			who: "*5% fewer people played* (95,000, were 100,000)."},
		{name: "20% fewer in the noise", now: sums{800, 700, 500, 40, 760}, before: sums{800, 700, 500, 50, 760},
			who: "*40 people played*."},
		{name: "as much as the noise", now: sums{800, 700, 500, 12, 760}, before: sums{800, 700, 500, 4, 760},
			who: "*12 people played*."},
		{name: "more than the noise", now: sums{800, 700, 500, 13, 760}, before: sums{800, 700, 500, 4, 760},
			who: "*225% more people played* (13, were 4)."},
		{name: "ten times", now: sums{800, 700, 500, 100, 760}, before: sums{800, 700, 500, 10, 760},
			who: "*900% more people played* (100, were 10)."},
		{name: "many times", now: sums{800, 700, 500, 390, 760}, before: sums{800, 700, 500, 10, 760},
			who: "*39 times as many people played* (390, were 10)."},
		{name: "one is left", now: sums{4, 2, 1, 1, 760}, before: sums{800, 700, 500, 20, 760},
			who: "*95% fewer people played* (1, were 20).", how: "One in two finished plays failed."},
		{name: "an unfinished day", now: sums{800, 700, 500, 61, 760}, complete: sums{800, 700, 500, 60, 760},
			before: sums{800, 700, 500, 100, 760}, who: "*Up to yesterday, 40% fewer people played* (60, were 100)."},
		{name: "an unfinished day without a change", now: sums{800, 700, 500, 200, 760},
			complete: sums{800, 700, 500, 100, 760}, before: sums{800, 700, 500, 100, 760},
			who: "*200 people played*."},
		// How they did.
		{name: "the score fell", now: sums{800, 700, 500, 400, 681}, before: sums{800, 700, 500, 400, 763},
			who: "*400 people played*.", how: "The average score fell 8.2 points to 68.1%."},
		{name: "the score rose", now: sums{800, 700, 500, 400, 816}, before: sums{800, 700, 500, 400, 766},
			who: "*400 people played*.", how: "The average score rose 5.0 points to 81.6%."},
		{name: "the score in the noise", now: sums{800, 700, 500, 400, 735}, before: sums{800, 700, 500, 400, 700},
			who: "*400 people played*."},
		{name: "the score above the noise", now: sums{800, 700, 500, 400, 736}, before: sums{800, 700, 500, 400, 700},
			who: "*400 people played*.", how: "The average score rose 3.6 points to 73.6%."},
		{name: "0.9 points of many", now: sums{800, 700, 500, 100_000, 709}, before: sums{800, 700, 500, 100_000, 700},
			who: "*100,000 people played*."},
		{name: "1.0 points of many", now: sums{800, 700, 500, 100_000, 710}, before: sums{800, 700, 500, 100_000, 700},
			who: "*100,000 people played*.", how: "The average score rose 1.0 points to 71.0%."},
		{name: "fewer passed", now: sums{800, 500, 300, 400, 760}, before: sums{800, 500, 400, 400, 760},
			who: "*400 people played*.", how: "60.0% of finished plays passed, down 20.0 points."},
		{name: "more passed", now: sums{800, 500, 400, 400, 760}, before: sums{800, 500, 300, 400, 760},
			who: "*400 people played*.", how: "80.0% of finished plays passed, up 20.0 points."},
		{name: "passed in the noise", now: sums{800, 500, 325, 400, 760}, before: sums{800, 500, 300, 400, 760},
			who: "*400 people played*.", how: "65.0% of finished plays passed."},
		{name: "fewer finished", now: sums{1000, 600, 400, 400, 760}, before: sums{1000, 900, 600, 400, 760},
			who: "*400 people played*.", how: "60.0% of plays were finished, down 30.0 points."},
		{name: "score before pass rate", now: sums{800, 500, 300, 400, 681}, before: sums{800, 500, 400, 400, 763},
			who: "*400 people played*.", how: "The average score fell 8.2 points to 68.1%."},
		{name: "many plays of few players", now: sums{1000, 1000, 600, 10, 760}, before: sums{1000, 1000, 800, 10, 760},
			who: "*10 people played*.", how: "60.0% of finished plays passed."},
		{name: "all passed", now: sums{800, 700, 700, 400, 760},
			who: "*400 people played*.", how: "Every finished play passed."},
		{name: "none passed", now: sums{800, 700, 0, 400, 760},
			who: "*400 people played*.", how: "No finished play passed."},
		{name: "one in ten", now: sums{800, 700, 627, 400, 760}, who: "*400 people played*.",
			how: "One in ten finished plays failed."},
		{name: "no simple share", now: sums{800, 700, 406, 400, 760}, who: "*400 people played*.",
			how: "58.0% of finished plays passed."},
		{name: "rounded once", now: sums{12, 11, 6, 10, 760}, who: "*10 people played*.",
			how: "54.5% of finished plays passed."},
		{name: "nothing finished before", now: steady, before: sums{800, 0, 0, 400, 0}, who: "*400 people played*.",
			how: "87.5% of plays were finished, up 87.5 points."},
		{name: "the score fell until yesterday", now: sums{801, 701, 501, 401, 682},
			complete: sums{800, 700, 500, 400, 681}, before: sums{800, 700, 500, 400, 763},
			who: "*401 people played*.", how: "Up to yesterday, the average score fell 8.2 points to 68.1%."},
		// The weakest skill.
		{name: "one is weakest", now: steady, skills: skills{skill(examples, 280, 400), skill(formats, 200, 400)},
			who: "*400 people played*.", top: "Weakest skill: *Formats, 50.0%*."},
		{name: "19 answers", now: steady,
			skills: skills{skill(examples, 280, 400), skill(formats, 2, 19), skill(duplicates, 390, 400)},
			who:    "*400 people played*."},
		{name: "20 answers", now: steady, skills: skills{skill(examples, 280, 400), skill(formats, 2, 20)},
			who: "*400 people played*.", top: "Weakest skill: *Formats, 10.0%*."},
		{name: "many answers of few players", now: sums{800, 700, 500, 10, 760}, who: "*10 people played*.",
			skills: skills{skill(examples, 280, 400), skill(formats, 120, 400), skill(duplicates, 360, 400)},
			top:    "Weakest skills: *Formats and Giving examples*."},
		{name: "two in the noise and no third", now: steady,
			skills: skills{skill(examples, 201, 400), skill(formats, 200, 400)},
			who:    "*400 people played*."},
		{name: "the second is no weaker than the third", now: steady, who: "*400 people played*.",
			skills: skills{skill(examples, 201, 400), skill(formats, 200, 400), skill(duplicates, 201, 400)}},
		{name: "the second has 19 answers", now: steady, who: "*400 people played*.",
			skills: skills{skill(examples, 10, 19), skill(formats, 200, 400), skill(duplicates, 380, 400)}},
		{name: "the only skill", now: steady, who: "*400 people played*.", skills: skills{skill(formats, 10, 400)}},
	} {
		var compared *comparison
		if c.before != (sums{}) {
			compared = &comparison{earlierStats: c.before.statistics()}
		}
		if c.complete != (sums{}) {
			compared.completeStats = c.complete.statistics()
		}
		how := c.how
		if how == "" {
			how = "71.4% of finished plays passed."
		}
		want := strings.TrimSpace(c.who + " " + how + " " + c.top)
		require.Equal(t, want, written(newAnswer(*c.now.statistics(c.skills...), compared)), c.name)
	}
}

func written(clauses []clause) string {
	var words []string
	for _, c := range clauses {
		if c.Strong != "" {
			c.Strong = fmt.Sprintf("*%s*", c.Strong)
		}
		words = append(words, c.Before+c.Strong+c.After)
	}
	return strings.Join(words, " ")
}
