package keys

import (
	"context"

	"dg/modules/apikeys"
	"dg/modules/audit"
)

// Log is the part of audit.Log that the page of a key reads.
type Log interface {
	List(ctx context.Context, organisationID string, p audit.Page) ([]audit.Entry, error)
}

// Keys is the part of apikeys.Service that manages the keys of the actor's organisation.
type Keys interface {
	List(ctx context.Context, actor apikeys.Actor) ([]apikeys.Key, error)
	Expiring(ctx context.Context, actor apikeys.Actor) ([]apikeys.Key, error)
	Key(ctx context.Context, actor apikeys.Actor, id string) (apikeys.Key, error)
	UsageOf(
		ctx context.Context, actor apikeys.Actor, keys []apikeys.Key,
	) (map[string][]apikeys.Usage, error)
	Create(
		ctx context.Context, actor apikeys.Actor, in apikeys.NewKey, request audit.Request,
	) (apikeys.Key, apikeys.Token, error)
	Rename(
		ctx context.Context, actor apikeys.Actor, id string, label apikeys.Label,
		request audit.Request,
	) error
	Revoke(ctx context.Context, actor apikeys.Actor, id string, request audit.Request) error
}
