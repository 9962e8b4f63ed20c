package games

import "time"

// Fork is an organisation's copy of a game. It omits the configuration, so that no caller can
// reveal it by mistake.
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
	OrganisationVersion   int64 // org.Organisation.Version, read in the same snapshot
}
