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
func (h *Handler) downloadPlays(c *fiber.Ctx, p *principal) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	fork, err := h.forkOf(ctx, c, p)
	if err != nil {
		return err
	}
	a, err := parseParams(c)
	if err != nil {
		return err
	}
	period, err := a.in(h.today())
	if err != nil {
		return apperr.New(apperr.Validation, "%s", err.Error())
	}
	query, err := queryOf(p, fork, period, a.Group)
	if err != nil {
		return err
	}
	err = h.Exports.Send(ctx, c, exports.Request{
		Query: query, Slug: fork.Slug, Actor: p.audited(), Request: requestOf(c), Recheck: h.recheck(p, authz.ExportReport),
	})
	return groupError(err)
}

// recheck returns a question that can be params when the visit is over: whether the visitor is signed in and may do the
// permission in the organisation.
func (h *Handler) recheck(p *principal, permission authz.Permission) func(context.Context) error {
	return func(ctx context.Context) error {
		session, err := h.auth.Revalidate(ctx, p.token)
		if err != nil {
			return err
		}
		m, err := h.RecheckOrgs.Membership(ctx, session.Person.ID, p.Organisation.Slug)
		if err != nil {
			return err
		}
		if m.Organisation.ID != p.Organisation.ID { // the slug has become another one's
			return errNoOrganisation
		}
		now := principal{Person: session.Person, Organisation: m.Organisation, Role: m.Role, policy: h.Policy}
		return now.decide(permission)
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
