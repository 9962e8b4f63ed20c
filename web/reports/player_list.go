package reports

import (
	"cmp"
	"strings"

	"dg/modules/reports"
	"dg/web/ui"
)

// player is a row of the list.
type player = reports.PlayerStat

const playersPerPage = 15

// players are listed in the API's order: by plays.
var players = listing[player]{
	things: "players",
	columns: []column[player]{
		{"Player", "label", false,
			func(a, b player) int { return strings.Compare(a.Label, b.Label) }},
		{"Plays", "-plays", true, func(a, b player) int { return cmp.Compare(a.Plays, b.Plays) }},
		{"Best score", "-best", true, compareBest},
		{"Passed", "-passed", false,
			func(a, b player) int { return ui.CompareBool(a.Passed, b.Passed) }},
		{"Last play", "-last", false,
			func(a, b player) int { return a.LastPlayedAt.Compare(b.LastPlayedAt) }},
	},
	order:   "-plays",
	search:  "player",
	texts:   func(p player) []string { return []string{p.Label} },
	few:     playersPerPage,
	perPage: playersPerPage,
	place:   "#p-h",
}

// compareBest orders players without a completed play before a best score of 0.
func compareBest(a, b player) int {
	return cmp.Or(ui.CompareBool(a.Completed, b.Completed), cmp.Compare(a.BestScore, b.BestScore))
}
