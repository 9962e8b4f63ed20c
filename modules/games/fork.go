package games

import "time"

// Fork is an organisation's version of a game. The configuration is left out, so that no reader can
// show it by mistake.
type Fork struct {
	ID, GameID            string
	OrganisationID        string
	Slug, Title           string
	Major                 int
	Status                string // active or archived
	Visibility            string // public, organization or restricted
	SourceLocale          string // en, fr, es, pt or de
	DeployedReleaseNumber *int   // nil: no release is deployed
	Suspended             bool
	CreatedAt             time.Time
	UpdatedAt             time.Time
	OrganisationVersion   int64 // of the organisation, in the snapshot that the fork was read from
}
