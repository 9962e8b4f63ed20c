package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/modules/reports"
	"dg/web/ui"
)

// sums has plays, completed plays, passed plays, players, and the average score in tenths of a percent.
type sums [5]int64

func (s sums) statistics(skills ...reports.SkillStat) *reports.Statistics {
	return &reports.Statistics{Plays: s[0], Completed: s[1], Passed: s[2], UniquePlayers: s[3],
		AvgScore: reports.Percent(s[4]), Skills: skills}
}

// scored returns 8 plays of each player, of which 7 are completed and 5 passed, with this average score.
func scored(players, score int64) sums {
	return sums{8 * players, 7 * players, 5 * players, players, score}
}

func played(players int64) sums { return scored(players, 760) }

// twice returns two plays of each player, and the pass rate of played.
func twice(players int64) sums { return sums{2 * players, 7 * players / 5, players, players, 760} }

func skill(id string, correct, answers int64) reports.SkillStat {
	return reports.SkillStat{SkillID: id, Attempts: answers, Correct: correct}
}

const formats, examples, duplicates = "data.quality.formats", "prompting.examples", "data.quality.duplicates"

func compareWith(before sums) *comparison {
	if before == (sums{}) {
		return nil
	}
	return &comparison{EarlierPeriod: "4 to 31 Oct", earlierStats: before.statistics()}
}

// The answer names a change only above its noise, and from 5% of a count or 1 point of a rate. Asterisks mean bold.
func TestAnswerNamesWhatTheFiguresProve(t *testing.T) {
	steady := played(400)
	type skills = []reports.SkillStat
	for _, c := range []struct {
		name          string
		now, before   sums // before is zero without a comparison
		complete      sums // zero if all days are complete
		skills        skills
		who, how, top string // expected sentences; who "": only the number of players; how "": that of steady
	}{
		{name: "the demo's month", now: sums{156, 146, 96, 89, 766}, before: sums{249, 235, 152, 122, 753},
			skills: skills{skill(formats, 109, 160), skill(examples, 113, 164), skill(duplicates, 194, 250)},
			who:    "*27% fewer people played* (89,\u00a0down\u00a0from\u00a0122).",
			how:    "One in three finished plays failed (50 of 146).",
			top:    "Weakest skills: *Formats* and *Giving examples*."},
		// These cases concern the clause on who played.
		{name: "no comparison", now: steady},
		{name: "one player", now: sums{1, 1, 1, 1, 900}, who: "*1 person played*.",
			how: "The only finished play passed."},
		{name: "one play, unfinished", now: sums{1, 0, 0, 1, 0}, who: "*1 person played*.",
			how: "No play was finished."},
		{name: "thousands", now: played(12_345)},
		{name: "unchanged", now: steady, before: steady,
			who: "*400 people played*, as many as in the previous period (400)."},
		{name: "4% fewer of many", now: played(96_000), before: played(100_000),
			who: "*96,000 people played*, about as many as in the previous period (100,000)."},
		{name: "25% more in the noise up to yesterday", now: twice(60), complete: twice(50), before: twice(40),
			who: "*60 people played*, 50 up to yesterday, no clear change from 40."},
		{name: "fewer plays of as many", now: played(40), before: played(50),
			who: "*20% fewer plays* (320\u00a0by\u00a040\u00a0people,\u00a0down\u00a0from\u00a0400)."},
		{name: "more plays of one", now: played(2), complete: played(1), before: sums{1, 1, 1, 1, 760},
			who: "*Up to yesterday, 700% more plays* (8\u00a0by\u00a01\u00a0person,\u00a0up\u00a0from\u00a01)."},
		{name: "none up to yesterday", now: played(1), complete: sums{4: 1}, before: sums{12, 8, 8, 3, 760},
			who: "*Up to yesterday, 100% fewer plays* (0,\u00a0down\u00a0from\u00a012)."},
		{name: "many times", now: played(390), before: played(10),
			who: "*39 times as many people played* (390,\u00a0up\u00a0from\u00a010)."},
		{name: "one is left", now: sums{4, 2, 1, 1, 760}, before: played(20),
			who: "*95% fewer people played* (1,\u00a0down\u00a0from\u00a020).",
			how: "One in two finished plays failed (1 of 2)."},
		{name: "an unfinished day", now: played(61), complete: played(60), before: played(100),
			who: "*Up to yesterday, 40% fewer people played* (60,\u00a0down\u00a0from\u00a0100)."},
		{name: "an unfinished day without a change", now: played(200), complete: played(100), before: played(100),
			who: "*200 people played*, 100 up to yesterday, as many as in the previous period (100)."},
		// These cases concern the clause on how they did.
		{name: "score before pass rate", now: sums{800, 500, 300, 400, 681},
			before: sums{800, 500, 400, 400, 763}, how: "The average score fell 8.2 points to 68.1%."},
		{name: "many plays of few players", now: sums{1000, 1000, 600, 10, 760}, before: sums{1000, 1000, 800, 10, 760},
			how: "60.0% of finished plays passed (600 of 1,000).",
			who: "*10 people played*, as many as in the previous period (10)."},
		{name: "all passed", now: sums{800, 700, 700, 400, 760}, how: "Every finished play passed (700 of 700)."},
		{name: "none passed", now: sums{800, 700, 0, 400, 760}, how: "No finished play passed (0 of 700)."},
		{name: "one in ten", now: sums{800, 700, 627, 400, 760}, how: "One in ten finished plays failed (73 of 700)."},
		{name: "rounded once", now: sums{12, 11, 6, 10, 760}, how: "54.5% of finished plays passed (6 of 11)."},
		{name: "nothing finished before", now: steady, before: sums{3200, 0, 0, 400, 0},
			how: "87.5% of plays were finished (2,800 of 3,200), up 87.5 points."},
		{name: "the score fell until yesterday", now: sums{801, 701, 501, 401, 682}, complete: scored(400, 681),
			before: scored(400, 763), how: "Up to yesterday, the average score fell 8.2 points to 68.1%."},
		// These cases concern the clause on the weakest skill.
		{name: "one is weakest", now: steady, skills: skills{skill(examples, 280, 400), skill(formats, 200, 400)},
			top: "Weakest skill: *Formats, 50.0%*."},
		{name: "many answers of few players", now: played(10),
			skills: skills{skill(examples, 280, 400), skill(formats, 120, 400), skill(duplicates, 360, 400)},
			top:    "Weakest skills: *Formats* and *Giving examples*."},
		{name: "two in the noise and no third", now: steady,
			skills: skills{skill(examples, 201, 400), skill(formats, 200, 400)}},
		{name: "the second is no weaker than the third", now: steady,
			skills: skills{skill(examples, 201, 400), skill(formats, 200, 400), skill(duplicates, 201, 400)}},
		{name: "the second has 19 answers", now: steady,
			skills: skills{skill(examples, 10, 19), skill(formats, 200, 400), skill(duplicates, 380, 400)}},
		{name: "the only skill", now: steady, skills: skills{skill(formats, 10, 400)}},
	} {
		compared := compareWith(c.before)
		if c.complete != (sums{}) {
			compared.completeStats = c.complete.statistics()
		}
		how := cmp.Or(c.how, fmt.Sprintf("71.4%% of finished plays passed (%s of %s).", ui.Count(c.now[2]),
			ui.Count(c.now[1])))
		who := cmp.Or(c.who, "*"+ui.Count(c.now[3])+" people played*.")
		want := strings.TrimSpace(who + " " + how + " " + c.top)
		require.Equal(t, want, clauseText(newAnswer(*c.now.statistics(c.skills...), compared)), c.name)
	}
}

// Changes above the noise are named: 2√(a+b) for counts, 50√(1/n+1/m) for scores, 2√(p(1-p)(1/n+1/m)) for rates.
func TestAnswerNamesChangesAboveItsThresholds(t *testing.T) {
	type skills = []reports.SkillStat
	// Each player has one play. The arguments are completed and passed plays, or all and completed ones.
	passed := func(completed, passed int64) sums { return sums{completed, completed, passed, completed, 760} }
	finished := func(plays, completed int64) sums { return sums{plays, completed, completed, plays, 760} }
	threeSkills := func(answers, a, b, c int64) skills {
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
		{played(13), played(5), nil, "more people", false},
		{played(14), played(5), nil, "more people played* (14,\u00a0up\u00a0from\u00a05)", true},
		{played(60), played(40), nil, "more people", false},
		{played(61), played(40), nil, "more people played* (61,\u00a0up\u00a0from\u00a040)", true},
		{played(40), played(60), nil, "fewer people", false},
		{played(39), played(60), nil, "*35% fewer people played* (39,\u00a0down\u00a0from\u00a060)", true},
		{played(1), played(250), nil, "*>99% fewer", true},
		{played(479), played(240), nil, "*100% more people", true},
		// Players: a change below 5% is not named.
		{played(10_499), played(10_000), nil, "more people", false},
		{played(10_500), played(10_000), nil, "*5% more people played* (10,500,\u00a0up\u00a0from\u00a010,000)", true},
		{played(9_500), played(10_000), nil, "*5% fewer people played* (9,500,\u00a0down\u00a0from\u00a010,000)", true},
		{played(3_040), played(3_200), nil, "*5% fewer people played*", true}, // 160 exceeds the noise of 158.0
		{played(2_945), played(3_100), nil, "fewer people", false},            // 155 is within the noise of 155.5
		// Scores: the noise is 7.07 for 100 and 100, 1.41 for 2500 and 2500, 7.25 for 50 and 1000.
		{scored(100, 770), scored(100, 700), nil, "score", false},
		{scored(100, 771), scored(100, 700), nil, "The average score rose 7.1 points to 77.1%.", true},
		{scored(100, 700), scored(100, 771), nil, "The average score fell 7.1 points to 70.0%.", true},
		{scored(2_500, 714), scored(2_500, 700), nil, "score", false},
		{scored(2_500, 715), scored(2_500, 700), nil, "rose 1.5 points", true},
		{scored(50, 772), scored(1_000, 700), nil, "score", false},
		{scored(50, 773), scored(1_000, 700), nil, "rose 7.3 points", true},
		// Scores: a difference equal to the noise, or below one point, is not named.
		{scored(5_000, 710), scored(5_000, 700), nil, "score", false},
		{scored(5_000, 711), scored(5_000, 700), nil, "rose 1.1 points", true},
		{scored(10_000, 709), scored(10_000, 700), nil, "score", false},
		{scored(10_000, 710), scored(10_000, 700), nil, "rose 1.0 points", true},
		// Rates with 100 and 100 people: the noise near 55% is 14.1 points.
		{passed(100, 48), passed(100, 62), nil, "down", false},
		{passed(100, 48), passed(100, 63), nil, "48.0% of finished plays passed (48 of 100), down 15.0 points.", true},
		{passed(100, 63), passed(100, 48), nil, "63.0% of finished plays passed (63 of 100), up 15.0 points.", true},
		{passed(100_000, 50_999), passed(100_000, 50_000), nil, "up", false},
		{passed(100_000, 51_000), passed(100_000, 50_000), nil, "up 1.0 points", true},
		{finished(100, 48), finished(100, 62), nil, "down", false},
		{finished(100, 48), finished(100, 63), nil, "48.0% of plays were finished (48 of 100), down 15", true},
		// The sample size of scores and pass rates is the number of finished plays, if smaller than that of players.
		{sums{400, 1, 1, 400, 990}, sums{400, 1, 0, 400, 300}, nil, "points", false},
		// Failures: a share is "one in three" only within a point of 33.3%.
		{passed(1_000, 657), sums{}, nil, "One in three finished plays failed (343 of 1,000).", true},
		{passed(1_000, 656), sums{}, nil, "65.6% of finished plays passed (656 of 1,000).", true},
		// Skills: 20 answers are needed. The sample size is the number of answers or, if smaller, of players.
		{played(400), sums{}, skills{skill(formats, 0, 19), skill(examples, 90, 100)}, "Formats", false},
		{played(400), sums{}, skills{skill(formats, 0, 20), skill(examples, 90, 100)}, alone, true},
		{played(400), sums{}, threeSkills(100, 48, 62, 99), both, true},
		{played(400), sums{}, threeSkills(100, 48, 63, 99), alone, true},
		{played(100_000), sums{}, threeSkills(100_000, 60_000, 60_900, 99_000), alone, true}, // noise 0.4
		{played(50), sums{}, threeSkills(100, 42, 61, 99), both, true},                       // noise 20.0
		{played(50), sums{}, threeSkills(100, 42, 63, 99), alone, true},
	} {
		answer := clauseText(newAnswer(*c.now.statistics(c.skills...), compareWith(c.before)))
		require.Equal(t, c.isMade, strings.Contains(answer, c.claim), "%v: %s", c, answer)
	}
}

// Without a clearly weakest skill, the one that fell most is named: above its noise, with 20 answers, on complete days.
func TestAnswerNamesTheSkillThatFellMost(t *testing.T) {
	type skills = []reports.SkillStat
	before := skills{skill(formats, 360, 400), skill(examples, 320, 400), skill(duplicates, 19, 19)}
	now := skills{skill(formats, 281, 400), skill(examples, 280, 400), skill(duplicates, 300, 400)}
	const fell = "The skill *Formats* fell 19.7 points."
	for _, c := range []struct {
		now, complete, before skills
		ending                string
	}{
		{now, nil, before, fell},
		{now, now, before, "Up to yesterday, the skill *Formats* fell 19.7 points."},
		{now, before, before, "Weakest skills: *Giving examples* and *Formats*."},
		{now, nil, now, "Weakest skills: *Giving examples* and *Formats*."},
		{append(skills{skill(duplicates, 9, 19)}, now[:2]...), nil, before, fell},
		{append(skills{skill(duplicates, 200, 400)}, now[:2]...), nil, before, "Weakest skill: *Duplicates, 50.0%*."},
		{skills{skill(formats, 200, 400), now[1]}, nil, before, "Weakest skill: *Formats, 50.0%*, down 40.0 points."},
		{skills{skill(formats, 200, 400), now[1]}, skills{skill(formats, 200, 400)}, before,
			"Weakest skill: *Formats, 50.0%*."},
		{now[:2], nil, before[1:], "The skill *Giving examples* fell 10.0 points."},
		{skills{skill(formats, 352, 400), skill(examples, 360, 400)}, nil, before[:2],
			"71.4% of finished plays passed (2,000 of 2,800)."},
	} {
		compared := &comparison{EarlierPeriod: "4 to 31 Oct", earlierStats: played(400).statistics(c.before...)}
		if c.complete != nil {
			compared.completeStats = played(400).statistics(c.complete...)
		}
		answer := clauseText(newAnswer(*played(400).statistics(c.now...), compared))
		require.True(t, strings.HasSuffix(answer, " "+c.ending), "%s: %s", c.ending, answer)
	}
}

func clauseText(clauses []clause) string {
	var words []string
	for _, c := range clauses {
		if c.Strong != "" {
			c.Strong = fmt.Sprintf("*%s*", c.Strong)
		}
		words = append(words, c.Before+c.Strong+c.Detail+c.After)
	}
	return strings.Join(words, " ")
}

// The answer says when plays changed: in the week with more than half of the change or all of it, above the noise.
func TestAnswerSaysWhenPlaysChanged(t *testing.T) {
	weekly := func(plays []int64) *reports.Statistics {
		s := &reports.Statistics{Daily: make([]reports.DailyStat, 7*len(plays))}
		s.Daily[0].Date = "2026-05-06" // a Wednesday
		for i, n := range plays {
			s.Daily[7*i].Plays = n
			s.Plays += n
		}
		return s
	}
	for _, c := range []struct {
		now, before []int64
		want        string
	}{
		{[]int64{30, 40, 50, 50}, []int64{80, 60, 40, 50}, ", most of the fall in the week of 6\u00a0May"},
		{[]int64{50, 50, 50, 90}, []int64{50, 50, 50, 20}, ", all of the rise in the week of 27\u00a0May"},
		{[]int64{30, 30, 50, 90}, []int64{80, 80, 50, 40}, ""}, // two weeks fell alike
		{[]int64{60, 0}, []int64{80, 80}, ""},                  // too short a period
		{[]int64{0, 4, 4, 4}, []int64{4, 3, 4, 4}, ""},         // in the noise
		// A long period has calendar weeks, as its chart.
		{slices.Repeat([]int64{1}, 7), []int64{1, 50, 1, 1, 1, 1, 1}, ", all of the fall in the week of 11\u00a0May"},
	} {
		now, compared := weekly(c.now), &comparison{earlierStats: weekly(c.before)}
		require.Equal(t, c.want, compared.mostOfChange(*now), c)
		now.Plays++ // on a day without an earlier one
		require.Empty(t, compared.mostOfChange(*now), c)
	}
}

// On a phone, the answer leaves out details, and also how people did if it would exceed three lines.
func TestAnswerFitsAPhone(t *testing.T) {
	text := func(s reports.Statistics, c *comparison) string {
		answer := newAnswer(s, c)
		for i := range answer {
			answer[i].Detail = ""
		}
		return strings.ReplaceAll(clauseText(answer), "*", "")
	}
	weak := []reports.SkillStat{skill(formats, 109, 160), skill(examples, 113, 164), skill(duplicates, 194, 250)}
	require.Equal(t,
		"40% fewer people played. 71.4% of finished plays passed. Weakest skills: Formats and Giving examples.",
		text(*played(60).statistics(weak...), compareWith(played(100))))
	changed := compareWith(sums{249, 235, 152, 122, 900})
	changed.completeStats = played(60).statistics(weak...)
	require.Equal(t, "Up to yesterday, 51% fewer people played.  Weakest skills: Formats and Giving examples.",
		text(*played(60).statistics(weak...), changed))
}

// The list says how much was played, and links the fork whose plays changed most, if by more than noise.
func TestListAnswerNamesTheForkThatChangedMost(t *testing.T) {
	type forks = [][2]int64 // plays, and plays before
	for _, c := range []struct {
		now, before int64
		forks       forks
		want        string
	}{
		{321, 481, forks{{146, 228}, {62, 111}, {113, 142}},
			"*33% fewer plays* (321,\u00a0down\u00a0from\u00a0481). *A* lost the most plays: 82."},
		{321, 0, forks{{321, 0}}, "*321 plays*."},
		{1, 0, forks{{1, 0}, {0, 0}}, "*1 play*."},
		{60, 40, forks{{60, 40}, {0, 0}}, "*60 plays*, no clear change from 40."},
		{400, 400, forks{{400, 400}, {0, 0}}, "*400 plays*, as many as in the previous period (400)."},
		{402, 402, forks{{101, 201}, {301, 201}},
			"*402 plays*, as many as in the previous period (402). *A* lost the most plays: 100."},
		{801, 402, forks{{301, 201}, {500, 201}},
			"*99% more plays* (801,\u00a0up\u00a0from\u00a0402). *B* gained the most plays: 299."},
		{0, 61, forks{{0, 61}, {0, 0}},
			"*100% fewer plays* (0,\u00a0down\u00a0from\u00a061). *A* lost the most plays: 61."},
		{30, 61, forks{{30, 61}}, "*51% fewer plays* (30,\u00a0down\u00a0from\u00a061)."},
	} {
		var compared *comparison
		if c.before > 0 {
			compared = &comparison{EarlierPeriod: "4 to 31 Oct", earlierStats: &reports.Statistics{Plays: c.before}}
		}
		var rows []forkRow
		for i, f := range c.forks {
			o := &reports.ForkOverview{Statistics: reports.Statistics{Plays: f[0]}, EarlierPlays: f[1]}
			rows = append(rows, newForkRow(games.Fork{Title: string(rune('A' + i))}, o, fmt.Sprintf("/%c", 'A'+i),
				time.Time{}))
		}
		answer := newForksAnswer(reports.Statistics{Plays: c.now}, compared, rows)
		require.Equal(t, c.want, clauseText(answer))
		for _, fork := range answer[1:] {
			require.Equal(t, "/"+fork.Strong, fork.Path)
		}
	}
}
