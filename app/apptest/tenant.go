package apptest

import (
	"fmt"
	"time"

	"dg/platform/testkit"
)

// Tenant is an organisation with a large fork, a group, keys, and two owners who can sign in.
type Tenant struct {
	Slug, Fork, Group string
	Emails            []string
	Keys              []string
	Cookies           []string
}

// NewTenant stores an organisation with plays on 300 days.
func NewTenant(db *testkit.World, players, plays int) *Tenant {
	o := db.Organisation(testkit.Organisation{})
	from := time.Now().UTC().AddDate(0, 0, -300)
	fork := db.Fork(testkit.Fork{OrganisationID: o.ID, CreatedAt: from})
	all := db.Players(o.ID, players)
	n := &Tenant{Slug: o.Slug, Fork: fork.ID, Group: db.Group(o.ID, all[:players/8]...)}
	db.Plays(fork, plays, from, 300*24*time.Hour/time.Duration(plays))
	for range 2 {
		n.Emails = append(n.Emails, db.Member(o.ID, "owner").Email)
	}
	for range 4 {
		n.Keys = append(n.Keys, db.Key(o.ID).Token())
	}
	return n
}

// Stats is the path of statistics of the last days.
func (n *Tenant) Stats(days int) string {
	return "/api/v1/forks/" + n.Fork + "/stats" + LastDays(days)
}

// CSV is the path of the export of all plays.
func (n *Tenant) CSV() string { return "/api/v1/forks/" + n.Fork + "/exports/csv" + LastDays(301) }

// LastDays is the period of the last days, as a query.
func LastDays(n int) string {
	now := time.Now().UTC()
	return fmt.Sprintf("?from=%s&to=%s", now.AddDate(0, 0, 1-n).Format(time.DateOnly),
		now.Format(time.DateOnly))
}
