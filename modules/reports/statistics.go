package reports

import (
	"strconv"
	"time"

	"dg/modules/games"
	"dg/modules/org"
	"dg/modules/reports/segment"
)

// Statistics are the figures of a report. If Suppressed, they are zero but for ReportingMode.
type Statistics struct {
	Plays          int64
	Completed      int64
	Passed         int64 // passed plays are completed plays too
	UniquePlayers  int64
	AvgScore       Percent // mean score of the completed plays
	CompletionRate Rate    // completed plays / plays
	PassRate       Rate    // passed plays / completed plays
	ReportingMode  org.ReportingMode
	Suppressed     bool // k-anonymity hides the figures
	Daily          []DailyStat
	Skills         []SkillStat
	Overlaps       []Overlap // nil unless the query asks for overlaps and labels are pseudonyms
	// Player returns the row of the i-th player in the report's order, from 0 to UniquePlayers-1.
	// It is nil in a suppressed report, with Query.OmitLists, in CompleteStatistics and in an Overview.
	Player func(i int) PlayerStat
	// CompleteStatistics has the figures of Query.CompleteDays, without players. It is nil if
	// CompleteDays is 0 or the whole period, or if k-anonymity hides them.
	CompleteStatistics *Statistics
}

// Players returns the rows of all players, or nil where Player is nil.
func (s Statistics) Players() []PlayerStat {
	if s.Player == nil {
		return nil
	}
	rows := make([]PlayerStat, s.UniquePlayers)
	for i := range rows {
		rows[i] = s.Player(i)
	}
	return rows
}

// DailyStat has the figures of one day. A day without plays has a DailyStat too.
type DailyStat struct {
	Date      string // YYYY-MM-DD, UTC
	Plays     int64
	Completed int64
	Passed    int64
	ScoreSum  int64 // scores of the completed plays, in hundredths of a percent
	AvgScore  Percent
}

// SumDays adds up one or more days. The sum has the first day's date, and an average that is
// rounded once, from the sums.
func SumDays(days []DailyStat) DailyStat {
	sum := DailyStat{Date: days[0].Date}
	for _, d := range days {
		sum.Plays += d.Plays
		sum.Completed += d.Completed
		sum.Passed += d.Passed
		sum.ScoreSum += d.ScoreSum
	}
	sum.AvgScore = meanScore(sum.ScoreSum, sum.Completed)
	return sum
}

// PlayerStat has the figures of a player with a play in the period.
type PlayerStat struct {
	Label        string
	Plays        int64
	BestScore    Percent
	Completed    bool      // whether any play was completed; if none was, BestScore is 0
	LastPlayedAt time.Time // start of the latest play, UTC, to the millisecond
	Passed       bool
}

// SkillStat has the figures of a skill with an answer in the period.
type SkillStat struct {
	SkillID     string
	Attempts    int64
	Correct     int64
	CorrectRate Rate
}

func newStatistics(a *segment.Accumulator, p Period) Statistics {
	total := &a.Total
	s := Statistics{
		Daily:          make([]DailyStat, p.Days),
		Plays:          total.Plays,
		Completed:      total.Completed,
		Passed:         total.Passed,
		UniquePlayers:  int64(a.Players.Count()),
		AvgScore:       meanScore(total.ScoreSum, total.Completed),
		CompletionRate: rateOf(total.Completed, total.Plays),
		PassRate:       rateOf(total.Passed, total.Completed),
	}
	for i, d := range a.Days[:p.Days] {
		s.Daily[i] = DailyStat{
			Date:      p.Day(i),
			Plays:     d.Plays,
			Completed: d.Completed,
			Passed:    d.Passed,
			ScoreSum:  d.ScoreSum,
			AvgScore:  meanScore(d.ScoreSum, d.Completed),
		}
	}
	for i, skill := range total.Skills[:games.SkillCount] {
		if skill.Attempts > 0 {
			s.Skills = append(s.Skills, SkillStat{
				SkillID:     games.Skill(i).ID(),
				Attempts:    skill.Attempts,
				Correct:     skill.Correct,
				CorrectRate: rateOf(skill.Correct, skill.Attempts),
			})
		}
	}
	return s
}

// Percent is a percentage in tenths: 625 is 62.5 %.
type Percent int64

// Rate is a ratio in ten-thousandths: 6250 is 0.625.
type Rate int64

// Append appends the percentage as a decimal number without trailing zeros: 62.5, 70, 0.
func (p Percent) Append(b []byte) []byte { return appendDecimal(b, int64(p), 1) }

// Append appends the ratio as a decimal number without trailing zeros: 0.625, 1, 0.
func (r Rate) Append(b []byte) []byte { return appendDecimal(b, int64(r), 4) }

// appendDecimal appends n / 10^places without trailing zeros. n must not be negative.
func appendDecimal(b []byte, n int64, places int) []byte {
	for ; places > 0 && n%10 == 0; places-- {
		n /= 10
	}
	scale := int64(1)
	for range places {
		scale *= 10
	}
	b = strconv.AppendInt(b, n/scale, 10)
	if places == 0 {
		return b
	}
	b = append(b, '.')
	for remainder := n % scale; scale > 1; remainder %= scale {
		scale /= 10
		b = append(b, byte('0'+remainder/scale))
	}
	return b
}

// divideRounded returns a / b, rounded half away from zero, or 0 if b is 0. Neither may be negative.
func divideRounded(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return (2*a + b) / (2 * b)
}

// meanScore returns the mean of n scores, or 0 for none. sum is in hundredths of a percent.
func meanScore(sum, n int64) Percent { return Percent(divideRounded(sum, 10*n)) }

// roundScore rounds a score from hundredths to tenths of a percent.
func roundScore(score int16) Percent { return Percent(divideRounded(int64(score), 10)) }

// PercentOf returns part / whole, rounded once, or 0 if whole is 0.
func PercentOf(part, whole int64) Percent { return Percent(divideRounded(1000*part, whole)) }

func rateOf(part, whole int64) Rate { return Rate(divideRounded(10_000*part, whole)) }
