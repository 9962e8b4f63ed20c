package games

import "time"

// Fork is an organisation's version of a game (specification, section 2.1). Its configuration is not part of it: what
// reads forks for others must not be able to show it.
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
	// OrganisationVersion is the organisation's version in the snapshot that the fork was read from.
	OrganisationVersion int64
}
