package reports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
)

// Changes above the noise are named: 2√(a+b) for counts, 50√(1/n+1/m) for scores, 2√(p(1-p)(1/n+1/m)) for rates.
func TestAnswerAtItsThresholds(t *testing.T) {
	type skills = []reports.SkillStat
	// Each player has one play. The arguments are completed and passed plays, or all and completed ones.
	passed := func(completed, passed int64) sums { return sums{completed, completed, passed, completed, 760} }
	finished := func(plays, completed int64) sums { return sums{plays, completed, completed, plays, 760} }
	few := func(answers, a, b, c int64) skills {
		return skills{skill(formats, a, answers), skill(examples, b, answers), skill(duplicates, c, answers)}
	}
	const alone, both = "Weakest skill: *Formats, ", "Weakest skills: *Formats* and *Giving examples*."
	for _, c := range []struct {
		now, before sums
		skills      skills
		claim       string
		isMade      bool // whether the answer contains the claim
	}{
		// Players: the noise is 8.5 for 13 and 5, 8.7 for 14 and 5, exactly 20 for 60 and 40.
		{played(13), played(5), nil, "more", false},
		{played(14), played(5), nil, "more people played* (14,\u00a0were\u00a05)", true},
		{played(60), played(40), nil, "more", false},
		{played(61), played(40), nil, "more people played* (61,\u00a0were\u00a040)", true},
		{played(40), played(60), nil, "fewer", false},
		{played(39), played(60), nil, "*35% fewer people played* (39,\u00a0were\u00a060)", true},
		{played(1), played(10), nil, "*90% fewer people played* (1,\u00a0were\u00a010)", true},
		{played(200), played(100), nil, "(200,\u00a0were\u00a0100)", true},
		{played(5), sums{}, nil, "more", false},
		// Players: a change below 5% is not named.
		{played(10_499), played(10_000), nil, "more", false},
		{played(10_500), played(10_000), nil, "*5% more people played* (10,500,\u00a0were\u00a010,000)", true},
		{played(9_501), played(10_000), nil, "fewer", false},
		{played(9_500), played(10_000), nil, "*5% fewer people played* (9,500,\u00a0were\u00a010,000)", true},
		{played(3_040), played(3_200), nil, "*5% fewer people played*", true}, // 160 exceeds the noise of 158.0
		{played(2_945), played(3_100), nil, "fewer", false},                   // 155 is within the noise of 155.5
		// Scores: the noise is 7.07 for 100 and 100, 1.41 for 2500 and 2500, 7.25 for 50 and 1000.
		{scored(100, 770), scored(100, 700), nil, "score", false},
		{scored(100, 771), scored(100, 700), nil, "The average score rose 7.1 points to 77.1%.", true},
		{scored(100, 700), scored(100, 771), nil, "The average score fell 7.1 points to 70.0%.", true},
		{scored(2_500, 714), scored(2_500, 700), nil, "score", false},
		{scored(2_500, 715), scored(2_500, 700), nil, "rose 1.5 points", true},
		{scored(50, 772), scored(1_000, 700), nil, "score", false},
		{scored(50, 773), scored(1_000, 700), nil, "rose 7.3 points", true},
		// Scores: the difference equals the noise, and is at least one point.
		{scored(5_000, 710), scored(5_000, 700), nil, "score", false},
		{scored(5_000, 711), scored(5_000, 700), nil, "rose 1.1 points", true},
		{scored(10_000, 709), scored(10_000, 700), nil, "score", false},
		{scored(10_000, 710), scored(10_000, 700), nil, "rose 1.0 points", true},
		// Rates with 100 and 100 people: the noise near 55% is 14.1 points.
		{passed(100, 48), passed(100, 62), nil, "down", false},
		{passed(100, 48), passed(100, 63), nil, "48.0% of finished plays passed, down 15.0 points.", true},
		{passed(100, 63), passed(100, 48), nil, "63.0% of finished plays passed, up 15.0 points.", true},
		{passed(100_000, 50_900), passed(100_000, 50_000), nil, "up", false},
		{passed(100_000, 51_000), passed(100_000, 50_000), nil, "up 1.0 points", true},
		{finished(100, 48), finished(100, 62), nil, "down", false},
		{finished(100, 48), finished(100, 63), nil, "48.0% of plays were finished, down 15.0 points.", true},
		// Failures: the share is within a point of one in a small number.
		{passed(1_000, 657), sums{}, nil, "One in three finished plays failed.", true},
		{passed(1_000, 656), sums{}, nil, "65.6% of finished plays passed.", true},
		// Skills: 20 answers are needed. The sample size is the number of answers or, if smaller, of players.
		{played(400), sums{}, skills{skill(formats, 0, 19), skill(examples, 90, 100)}, "Formats", false},
		{played(400), sums{}, skills{skill(formats, 0, 20), skill(examples, 90, 100)}, alone, true},
		{played(400), sums{}, few(100, 48, 62, 99), both, true},
		{played(400), sums{}, few(100, 48, 63, 99), alone, true},
		{played(50), sums{}, few(100, 42, 61, 99), both, true}, // the noise is 20.0 points
		{played(50), sums{}, few(100, 42, 63, 99), alone, true},
	} {
		require.Equal(t, c.isMade, strings.Contains(answerText(c.now, c.before, c.skills), c.claim),
			"%v, were %v, %v: %s", c.now, c.before, c.skills, answerText(c.now, c.before, c.skills))
	}
}

func answerText(now, before sums, skills []reports.SkillStat) string {
	var c *comparison
	if before != (sums{}) {
		c = &comparison{EarlierDays: "4 to 31 Oct 2026", earlierStats: before.statistics()}
	}
	var all []string
	for _, k := range newAnswer(*now.statistics(skills...), c) {
		all = append(all, strings.TrimSuffix(k.Before+"*"+k.Strong+"*"+k.After, "**"))
	}
	return strings.ReplaceAll(strings.Join(all, " "), "**", "")
}
