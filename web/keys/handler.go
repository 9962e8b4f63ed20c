package keys

import (
	"embed"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/input"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the screens of an organisation's keys.
type Handler struct{ ui.Base }

// New returns the handler, which also renders the templates of this package.
func New(b ui.Base) *Handler { return &Handler{b.With(templates)} }

// OfKey returns the handler of a screen of the key that the path names.
func (h *Handler) OfKey(
	handle func(*fiber.Ctx, *ui.Principal, apikeys.Key) error,
) func(*fiber.Ctx, *ui.Principal) error {
	return func(c *fiber.Ctx, p *ui.Principal) error {
		k, err := h.keyOf(c, p)
		if err != nil {
			return err
		}
		return handle(c, p, k)
	}
}

func (h *Handler) keyOf(c *fiber.Ctx, p *ui.Principal) (apikeys.Key, error) {
	return h.Keys.Key(c.UserContext(), p.KeyActor(), input.PathID(c.Params("key")))
}
