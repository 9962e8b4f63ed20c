package publicapi

import (
	"context"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
)

// These interfaces have the methods that the API calls. The packages that implement the methods
// document them and their errors.

// Keys authenticates keys, and records refusals of known keys before they are sent.
type Keys interface {
	Authenticate(
		ctx context.Context, token apikeys.Token, request func() audit.Request,
	) (apikeys.Caller, error)
	Refuse(
		ctx context.Context, c apikeys.Caller, reason audit.Reason, target audit.Target,
		request audit.Request, refusal error,
	) error
	RefuseOutside(ctx context.Context, id string, request audit.Request, refusal error) error
}

// Forks finds forks of an organisation, and the owner of any fork.
type Forks interface {
	Forks(ctx context.Context, organisationID string) ([]games.Fork, error)
	Fork(ctx context.Context, organisationID, id string) (games.Fork, error)
	ForkOwner(ctx context.Context, id string) (organisationID string, err error)
}
