package web

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
)

// downloadPlays answers with the plays of a report as CSV: the file that the API exports.
func (s *Site) downloadPlays(c *fiber.Ctx, v *visit) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	fork, err := s.forkOf(ctx, c, v)
	if err != nil {
		return err
	}
	a, err := askedIn(c)
	if err != nil {
		return err
	}
	period, err := a.in(s.today())
	if err != nil {
		return apperr.New(apperr.Validation, "%s", err.Error())
	}
	query, err := queryOf(v, fork, period, a.Group)
	if err != nil {
		return err
	}
	err = s.Exports.Send(ctx, c, exports.Order{
		Query: query, Slug: fork.Slug, Actor: v.audited(), Request: requestOf(c), Recheck: s.stillAllowed(v, authz.ExportReport),
	})
	return groupError(err)
}

// stillAllowed returns a question that can be asked when the visit is over: whether the visitor is signed in and may do the
// deed in the organisation.
func (s *Site) stillAllowed(v *visit, deed authz.Permission) func(context.Context) error {
	return func(ctx context.Context) error {
		session, err := s.visitors.Still(ctx, v.token)
		if err != nil {
			return err
		}
		m, err := s.Orgs.Membership(ctx, session.Person.ID, v.Organisation.Slug)
		if err != nil {
			return err
		}
		if m.Organisation.ID != v.Organisation.ID { // the slug has become another one's
			return errNoOrganisation
		}
		now := visit{Person: session.Person, Organisation: m.Organisation, Role: m.Role, policy: s.Policy}
		return now.decide(deed)
	}
}

var errNoGroup = apperr.New(apperr.NotFound, "There is no such group in this organisation. Open the report for all players and choose one there.")

// groupError words for people what a report says of its group.
func groupError(err error) error {
	if errors.Is(err, reports.ErrGroupNotFound) {
		return errNoGroup
	}
	return err
}
