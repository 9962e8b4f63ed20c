package web

import (
	"context"

	"dg/platform/authz"
	"dg/platform/fairshare"
	"dg/web/ui"
)

// How many screens an instance works on at once: of reports, which may wait for figures, and of
// settings. One organisation gets half of them, and a person three. Screens have no rate, and one
// takes up to some milliseconds of a processor: with twice as many settings, a list of keys that
// was opened again and again doubled the 99th percentile of others' calls.
const (
	maxReportScreens   = 8
	maxSettingsScreens = 4
	maxScreensOfPerson = 3
)

// screenTurns admit the screens of organisations.
type screenTurns struct {
	hints             *fairshare.TenantHints // by session
	reading, settings *fairshare.Limiter
}

func newScreenTurns() screenTurns {
	places := func(n int) *fairshare.Limiter {
		return fairshare.New(fairshare.Limits{
			MaxConcurrent:         n,
			MaxConcurrentPerActor: maxScreensOfPerson,
			BusyMessage:           "Too many pages of this organisation are being opened at once.",
		})
	}
	return screenTurns{
		fairshare.NewTenantHints(), places(maxReportScreens), places(maxSettingsScreens),
	}
}

// admit waits for the turn of a screen. The caller releases the lease. Revoking a key does not
// wait: a leaked one must be stopped at once. Errors: apperr.Unavailable with RetryAfter.
func (s screenTurns) admit(
	ctx context.Context, permission authz.Permission, p *ui.Principal,
) (*fairshare.Lease, error) {
	from := s.settings
	switch permission {
	case authz.RevokeKey:
		return nil, nil
	case authz.ListForks, authz.ReadReport, authz.ExportReport:
		from = s.reading
	}
	return from.Acquire(ctx,
		fairshare.Request{OrganisationID: p.Organisation.ID, ActorID: p.Person.ID})
}
