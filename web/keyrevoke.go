package web

import (
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
)

// revocationView asks before a key is revoked. Without script it is the dialog of the list.
type revocationView struct {
	shell
	Key        keyLine
	Path, Back string
}

// askRevocation answers GET /settings/api-keys/:key/revoke. What is revoked already is said, not asked.
func (s *Site) askRevocation(c *fiber.Ctx, v *visit) error {
	k, err := s.keyInPath(c, v)
	if err != nil {
		return err
	}
	if k.RevokedAt != nil {
		return toRevoked(c, v, k, alreadyRevoked)
	}
	view := revocationView{Key: s.keyLine(v, k), Back: v.path("/settings/api-keys")}
	view.Path = view.Back + "/" + k.ID + "/revoke"
	if view.shell, err = s.settingsShell(c, v, "Revoke key", "api-keys"); err != nil {
		return err
	}
	return s.show(c, fiber.StatusOK, "key-revoke", &view)
}

// revokeKey answers POST /settings/api-keys/:key/revoke, and leads back to the list, which says that it is done.
func (s *Site) revokeKey(c *fiber.Ctx, v *visit) error {
	k, err := s.keyInPath(c, v)
	if err != nil {
		return err
	}
	if k.RevokedAt != nil {
		return toRevoked(c, v, k, alreadyRevoked)
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	if err := s.Keys.Revoke(ctx, v.actor(), k.ID, requestOf(c)); err != nil {
		return err
	}
	return toRevoked(c, v, k, justRevoked)
}

func (s *Site) keyInPath(c *fiber.Ctx, v *visit) (apikeys.Key, error) {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	return s.Keys.Key(ctx, v.actor(), c.Params("key"))
}

// What the list's address says of a revocation, with the key's id.
const (
	justRevoked    = "revoked"
	alreadyRevoked = "revoked-before"
)

func toRevoked(c *fiber.Ctx, v *visit, k apikeys.Key, when string) error {
	return c.Redirect(v.path("/settings/api-keys?"+url.Values{when: {k.ID}}.Encode()), fiber.StatusSeeOther)
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
