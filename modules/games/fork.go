package games

import "time"

// Fork is an organisation's version of a game, without its configuration: the readers of forks
// cannot show it by mistake.
type Fork struct {
	ID, OrganisationID, GameID string
	Slug, Title                string
	Major                      int
	Status                     string // active or archived
	Visibility                 string // public, organization or restricted
	SourceLocale               string // en, fr, es, pt or de
	DeployedRelease            *int   // nil: no release is deployed
	Suspended                  bool
	CreatedAt, UpdatedAt       time.Time
	// OrganisationVersion is the organisation's version in the snapshot that the fork was read
	// from.
	OrganisationVersion int64
}
