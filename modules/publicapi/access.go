package publicapi

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/audit"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/input"
)

var errForeignFork = apperr.New(apperr.AccessDenied,
	"This fork belongs to another organisation. Use a key of that organisation.")

// forkOf asks the policy about the fork's owner as stored, never about the caller's organisation.
func (a *API) forkOf(r *call) (games.Fork, error) {
	id := input.ID(r.forkID)
	fork, missing := a.Games.Fork(r.ctx, r.caller.OrganisationID, id)
	if missing != nil && !apperr.Is(missing, apperr.NotFound) {
		return fork, missing
	}
	owner := fork.OrganisationID
	if missing != nil {
		var err error
		if owner, err = a.Games.ForkOwner(r.ctx, id); err != nil {
			return fork, err
		}
	}
	err := a.Policy.Authorize(r.caller.Subject, r.permission, owner)
	if errors.Is(err, authz.ErrDenied) {
		return games.Fork{}, a.refuse(r, audit.OtherOrganisation,
			audit.Target{Kind: "fork", ID: id}, errForeignFork)
	}
	if err != nil {
		return fork, err
	}
	return fork, missing // if it belongs to the caller, it was created between the two queries
}

const (
	maxHashed         = 1_000  // plays, 1.5 to 3 µs each: a GET must not become slower
	maxHashedForProof = 10_000 // HEAD and If-None-Match ask for the tag
)

// queryOf sets Position, so that the report is at least as new as the authentication.
func (a *API) queryOf(r *call) (games.Fork, reports.Query, error) {
	fork, err := a.forkOf(r)
	if err != nil {
		return fork, reports.Query{}, err
	}
	query, err := reportQuery(r.c, fork)
	query.Position = r.caller.Position
	query.MaxHashed = maxHashed
	if r.c.Method() == fiber.MethodHead || r.c.Get(fiber.HeaderIfNoneMatch) != "" {
		query.MaxHashed = maxHashedForProof
	}
	return fork, query, err
}

// authorizeGroup responds to another organisation's group as it does to an unknown one.
func (a *API) authorizeGroup(r *call, h reports.Header, groupID string) error {
	if h.GroupOwner == "" {
		return nil
	}
	err := a.Policy.Authorize(r.caller.Subject, r.permission, h.GroupOwner)
	if errors.Is(err, authz.ErrDenied) {
		return a.refuse(r, audit.OtherOrganisation, audit.Target{Kind: "group", ID: groupID},
			reports.ErrGroupNotFound)
	}
	if err != nil {
		return err
	}
	return h.CheckGroup(r.caller.OrganisationID)
}
