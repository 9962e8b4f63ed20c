package snapshot

import (
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Query selects a report. The caller has checked that the fork is the organisation's.
type Query struct {
	OrganisationID, ForkID string
	Period                 Period
	GroupID                string // "": all players
	TotalsOnly             bool   // without players and skills: no label is read
	// the caller lists Statistics.Players, for which more memory is reserved
	Rows bool
	// the caller warns of groups whose reports differ by few players
	Overlaps bool
	// Position is what the report has to see: a replica that has it may be read from. The zero
	// value asks the primary.
	Position postgres.Position
}

// ErrGroupNotFound says that there is no such group, or that it is another organisation's.
var ErrGroupNotFound = apperr.New(apperr.NotFound,
	"No such group. Owners and admins find the ids of groups in Settings, Organisation.")

// LargeReport is how many players a small report lists at most.
const LargeReport = 5_000
