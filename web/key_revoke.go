package web

import (
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
)

// revokeKeyView asks for confirmation. With script, a dialog on the list does.
type revokeKeyView struct {
	layout
	Key        keyRow
	Path, Back string
}

// The query parameters of the list that name a key, by what became of it.
const (
	justRevoked    = "revoked"
	alreadyRevoked = "revoked-before"
)

// revokeKeyForm answers GET /settings/api-keys/:key/revoke.
func (h *Handler) revokeKeyForm(c *fiber.Ctx, p *principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.keyActor(), c.Params("key"))
	if err != nil {
		return err
	}
	if k.Revoked(h.now()) {
		return redirectToRevoked(c, p, k, alreadyRevoked)
	}
	view := revokeKeyView{Key: h.keyRow(p, k), Back: p.path("/settings/api-keys")}
	view.Path = view.Back + "/" + k.ID + "/revoke"
	if view.layout, err = h.settingsLayout(c, p, "Revoke key", "api-keys"); err != nil {
		return err
	}
	return h.render(c, fiber.StatusOK, "key-revoke", &view)
}

// revokeKey answers POST /settings/api-keys/:key/revoke and redirects to the list, which confirms it.
func (h *Handler) revokeKey(c *fiber.Ctx, p *principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.keyActor(), c.Params("key"))
	if err != nil {
		return err
	}
	outcome := justRevoked
	if k.Revoked(h.now()) { // by this clock: the database's decides
		outcome = alreadyRevoked
	}
	if err := h.Keys.Revoke(c.UserContext(), p.keyActor(), k.ID, apikeys.RequestOf(c, c.Path())); err != nil {
		return err
	}
	return redirectToRevoked(c, p, k, outcome)
}

func redirectToRevoked(c *fiber.Ctx, p *principal, k apikeys.Key, outcome string) error {
	return c.Redirect(p.path("/settings/api-keys?"+url.Values{outcome: {k.ID}}.Encode()), fiber.StatusSeeOther)
}

// revokedNotice is the notice about the key that the address names, or nil unless it is revoked.
func (h *Handler) revokedNotice(c *fiber.Ctx, keys []apikeys.Key) *notice {
	id := c.Query(justRevoked, c.Query(alreadyRevoked))
	i := slices.IndexFunc(keys, func(k apikeys.Key) bool { return k.ID == id && k.Revoked(h.now()) })
	switch {
	case i < 0:
		return nil
	case c.Query(justRevoked) == "":
		return &notice{Done: true, Name: keys[i].Name, Strong: "was already revoked", Before: " on ", At: keys[i].RevokedAt, After: ". Nothing was changed."}
	}
	return &notice{Done: true, Name: keys[i].Name, Strong: "has been revoked.", Before: " Requests with this key are now rejected."}
}
