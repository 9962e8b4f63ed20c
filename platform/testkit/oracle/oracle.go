// Package oracle computes statistics and exports by their definition (modules/publicapi/rules.md):
// exact fractions, rounded half away from zero at the end. It shares no code with the program.
package oracle

import "time"

const instant = "2006-01-02T15:04:05.000Z"

type Play struct {
	ID, Fork  string
	Player    int // index in Query.Labels
	Release   int // 0: none
	Started   time.Time
	Completed time.Time // zero: unfinished
	Score     int       // hundredths of a percent
	Passed    bool
	Answers   []SkillAnswers
}

// SkillAnswers counts a play's answers to one skill.
type SkillAnswers struct {
	Skill             string
	Attempts, Correct int
}

// Query selects the plays of a report.
type Query struct {
	Fork     string
	From, To time.Time    // first instants of the first and last day
	Members  map[int]bool // of the group; nil: all players
	Mode     string       // the reporting mode
	Keys     []string     // of the players: their pseudonyms
	Labels   []string     // of the players
	Skills   []string     // the catalogue, in its order
}

func (q Query) includes(p Play) bool {
	return p.Fork == q.Fork && !p.Started.Before(q.From) &&
		p.Started.Before(q.To.AddDate(0, 0, 1)) &&
		(q.Members == nil || q.Members[p.Player])
}
