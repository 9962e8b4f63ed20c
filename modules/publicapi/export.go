package publicapi

import (
	"context"

	"dg/modules/apikeys"
	"dg/modules/exports"
	"dg/modules/reports"
)

// exportForkPlays answers GET /api/v1/forks/{forkId}/exports/csv.
func (a *API) exportForkPlays(r *call) error {
	fork, query, err := a.queryOf(r)
	if err != nil {
		return err
	}
	r.release() // exports have places of their own
	caller := r.caller
	return a.Exports.Send(r.c, exports.Request{
		Query:   query,
		Slug:    fork.Slug,
		Actor:   caller.Actor,
		Request: apikeys.RequestOf(r.c, r.path),
		Authorize: func(h reports.Header) error {
			return a.authorizeGroup(r, h, query.GroupID)
		},
		Recheck: func(ctx context.Context) error {
			return a.Keys.StillUsable(ctx, caller.OrganisationID, caller.Actor.ID)
		},
	})
}
