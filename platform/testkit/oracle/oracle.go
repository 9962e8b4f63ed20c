// Package oracle computes the answers about plays by their definition (modules/publicapi/rules.md):
// exact fractions, rounded half away from zero at the end. It shares no code with the program.
package oracle

import "time"

const instant = "2006-01-02T15:04:05.000Z"

// Play is one play.
type Play struct {
	ID, Fork  string
	Player    int // place in Question.Labels
	Release   int // 0: none
	Started   time.Time
	Completed time.Time // zero: unfinished
	Score     int       // hundredths of a percent
	Passed    bool
	Answers   []Answered
}

// Answered is a play's answers to one skill.
type Answered struct {
	Skill             string
	Attempts, Correct int
}

// Question selects the plays of a report.
type Question struct {
	Fork     string
	From, To time.Time    // first instants of the first and last day
	Members  map[int]bool // of the group; nil: all players
	Mode     string       // the reporting mode
	Keys     []string     // of the players: their pseudonyms
	Labels   []string     // of the players
	Skills   []string     // the catalogue, in its order
}

func (q Question) includes(p Play) bool {
	return p.Fork == q.Fork && !p.Started.Before(q.From) &&
		p.Started.Before(q.To.AddDate(0, 0, 1)) &&
		(q.Members == nil || q.Members[p.Player])
}
