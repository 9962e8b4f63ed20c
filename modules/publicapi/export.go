package publicapi

import (
	"context"

	"dg/modules/apikeys"
	"dg/modules/exports"
)

// exportForkPlays answers GET /api/v1/forks/{forkId}/exports/csv.
func (a *API) exportForkPlays(r *call) error {
	fork, query, err := a.queryOf(r)
	if err != nil {
		return err
	}
	r.release() // exports have places of their own
	caller := r.caller
	export, err := a.Exports.Open(r.ctx, r.c, exports.Request{
		Query: query, Slug: fork.Slug, Actor: caller.Actor(),
		Request: apikeys.RequestOf(r.c, r.path),
		Recheck: func(ctx context.Context) error {
			return a.RecheckKeys.StillUsable(ctx, caller.OrganisationID, caller.KeyID)
		},
	})
	if err != nil {
		return err
	}
	defer export.Close()
	if err := a.authorizeGroup(r, export.Header, query.GroupID); err != nil {
		return err
	}
	return a.Exports.Send(r.c, export)
}
