package web

import (
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
)

// revocationView asks before a key is revoked. Without script it is the dialog of the list.
type revocationView struct {
	layout
	Key        keyRow
	Path, Back string
}

// revokeKeyForm answers GET /settings/api-keys/:key/revoke. What is revoked already is said, not params.
func (h *Handler) revokeKeyForm(c *fiber.Ctx, p *principal) error {
	k, err := h.keyInPath(c, p)
	if err != nil {
		return err
	}
	if k.RevokedAt != nil {
		return toRevoked(c, p, k, alreadyRevoked)
	}
	view := revocationView{Key: h.keyRow(p, k), Back: p.path("/settings/api-keys")}
	view.Path = view.Back + "/" + k.ID + "/revoke"
	if view.layout, err = h.settingsLayout(c, p, "Revoke key", "api-keys"); err != nil {
		return err
	}
	return h.render(c, fiber.StatusOK, "key-revoke", &view)
}

// revokeKey answers POST /settings/api-keys/:key/revoke, and leads back to the list, which says that it is done.
func (h *Handler) revokeKey(c *fiber.Ctx, p *principal) error {
	k, err := h.keyInPath(c, p)
	if err != nil {
		return err
	}
	if k.RevokedAt != nil {
		return toRevoked(c, p, k, alreadyRevoked)
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	if err := h.Keys.Revoke(ctx, p.actor(), k.ID, requestOf(c)); err != nil {
		return err
	}
	return toRevoked(c, p, k, justRevoked)
}

func (h *Handler) keyInPath(c *fiber.Ctx, p *principal) (apikeys.Key, error) {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	return h.Keys.Key(ctx, p.actor(), c.Params("key"))
}

// What the list's address says of a revocation, with the key's id.
const (
	justRevoked    = "revoked"
	alreadyRevoked = "revoked-before"
)

func toRevoked(c *fiber.Ctx, p *principal, k apikeys.Key, when string) error {
	return c.Redirect(p.path("/settings/api-keys?"+url.Values{when: {k.ID}}.Encode()), fiber.StatusSeeOther)
}

// revocation is what the list says of the key that its address names: nothing unless that one is revoked.
func revocation(c *fiber.Ctx, keys []apikeys.Key) *notice {
	id := c.Query(justRevoked, c.Query(alreadyRevoked))
	nth := slices.IndexFunc(keys, func(k apikeys.Key) bool { return k.ID == id && k.RevokedAt != nil })
	switch {
	case nth < 0:
		return nil
	case c.Query(justRevoked) == "":
		return &notice{
			Done: true, Name: keys[nth].Name, Strong: "was already revoked", Before: ", at ", At: keys[nth].RevokedAt,
			After: ". Nothing has changed.",
		}
	}
	return &notice{Done: true, Name: keys[nth].Name, Strong: "is revoked.", Before: " Every request with it is refused from now on."}
}
