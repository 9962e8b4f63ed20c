package reports

import (
	"time"

	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Query selects a report. The caller has checked that the fork is the organisation's.
type Query struct {
	OrganisationID, ForkID string
	Period                 Period
	GroupID                string // "": all players
	TotalsOnly             bool   // without players and skills: no label is read
	// how long to look for groups whose reports differ by few players; zero: not at all
	Overlaps time.Duration
	// a replica that has replayed it may be read; zero: only the primary is read
	Position postgres.Position
}

// ErrGroupNotFound says that the group does not exist or is another organisation's.
var ErrGroupNotFound = apperr.New(apperr.NotFound,
	"No such group. Owners and admins find the ids of groups in Settings, Organisation.")

// Header is known before a play is read: the caller authorises the read by the owner of the group.
type Header struct {
	GroupOwner    string // the organisation of the group, maybe another one; "": all players
	ReportingMode org.ReportingMode
	Suppressed    bool // k-anonymity hides the plays
}

// CheckGroup returns ErrGroupNotFound for a group of another organisation.
func (h Header) CheckGroup(organisationID string) error {
	if h.GroupOwner != "" && h.GroupOwner != organisationID {
		return ErrGroupNotFound
	}
	return nil
}
