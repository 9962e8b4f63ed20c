package keys

import (
	"context"
	"embed"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Keys has the methods of apikeys.Service that the screens call.
type Keys interface {
	List(ctx context.Context, actor apikeys.Actor) ([]apikeys.Key, error)
	Key(ctx context.Context, actor apikeys.Actor, id string) (apikeys.Key, error)
	UsageOf(
		ctx context.Context, actor apikeys.Actor, keys []apikeys.Key,
	) (map[string][]apikeys.Usage, error)
	Create(
		ctx context.Context, actor apikeys.Actor, newKey apikeys.NewKey, request audit.Request,
	) (apikeys.Key, apikeys.Token, error)
	Rename(ctx context.Context, actor apikeys.Actor, id string, shown, label apikeys.Label, request audit.Request) error
	Revoke(ctx context.Context, actor apikeys.Actor, id string, request audit.Request) error
}

// Handler serves the screens of an organisation's keys.
type Handler struct {
	ui.Base
	Keys Keys
}

// New returns the handler, which also renders the templates of this package.
func New(b ui.Base) *Handler { return &Handler{b.With(templates), b.Keys} }
