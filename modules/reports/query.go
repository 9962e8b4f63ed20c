package reports

import (
	"time"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Query selects a report. The caller has checked that the fork is the organisation's.
type Query struct {
	OrganisationID, ForkID string
	Period                 Period
	GroupID                string // "": all players
	TotalsOnly             bool   // without players and skills: no label is read
	// timeout of the search for overlaps; 0: no search
	OverlapsTimeout time.Duration
	// replicas that have replayed this LSN may be read; zero: only the primary is read
	Position postgres.Position
}

// ErrGroupNotFound says that the group does not exist or is another organisation's.
var ErrGroupNotFound = apperr.New(apperr.NotFound,
	"No such group. Owners and admins find the ids of groups in Settings, Organisation.")
