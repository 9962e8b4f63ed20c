package keys

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
	"dg/web/ui"
)

// keyView is the page of a key.
type keyView struct {
	ui.Layout
	Key             keyRow
	Description     string
	Usage           usageView
	NoUsage         string // why there are no requests to show
	Back, Log       string
	Revoker         string  // who revoked it, or ""
	Replaced        *keyRow // the key that it replaced, nil: none
	Successor       *keyRow // the key that replaced it, nil: none
	Replace, Rename string  // paths, or "" if it cannot be done
}

// ShowKey answers GET /settings/api-keys/:key.
func (h *Handler) ShowKey(c *fiber.Ctx, p *ui.Principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.KeyActor(), c.Params("key"))
	if err != nil {
		return err
	}
	used, err := h.usageOf(c.UserContext(), p, []apikeys.Key{k})
	if err != nil {
		return err
	}
	view := keyView{
		Key:         h.keyRow(p, k),
		Description: k.Description,
		Usage:       newUsageView(used[k.ID]),
		NoUsage:     noUsage(k, used[k.ID]),
		Back:        p.Path("/settings/api-keys"),
		Log:         p.Path("/settings/audit-log?key=" + k.ID),
	}
	if p.May(authz.RenameKey) {
		view.Rename = keyPath(p, k, "/rename")
	}
	if p.May(authz.ReplaceKey) && h.replaceable(p, k) {
		view.Replace = keyPath(p, k, "/replace")
	}
	if view.Replaced, view.Successor, err = h.chain(c, p, k); err != nil {
		return err
	}
	if view.Revoker, err = h.revoker(c, p, k); err != nil {
		return err
	}
	if view.Layout, err = h.settings.Layout(c, p, k.Name, "api-keys"); err != nil {
		return err
	}
	view.Notices = append(view.Notices, creationObstacles(p, true, 0, keyPath(p, k, ""))...)
	return h.Render(c, fiber.StatusOK, "key", &view)
}

// chain returns the key that k replaced, and the one that replaced it.
func (h *Handler) chain(
	c *fiber.Ctx, p *ui.Principal, k apikeys.Key,
) (replaced, successor *keyRow, err error) {
	if k.Replaces == "" && k.RevokedAt == nil {
		return nil, nil, nil
	}
	keys, err := h.Keys.List(c.UserContext(), p.KeyActor())
	for _, other := range keys {
		row := h.keyRow(p, other)
		switch {
		case other.ID == k.Replaces:
			replaced = &row
		case other.Replaces == k.ID:
			successor = &row
		}
	}
	return replaced, successor, err
}

// revoker returns the name of the person who revoked the key, or "" without such an entry in the
// log.
func (h *Handler) revoker(c *fiber.Ctx, p *ui.Principal, k apikeys.Key) (string, error) {
	if !k.Revoked(h.Now()) {
		return "", nil
	}
	entries, err := h.Log.List(c.UserContext(), p.Organisation.ID, audit.Page{
		Filter: audit.Filter{KeyID: k.ID, Action: audit.KeyRevoked},
		Limit:  1,
	})
	if err == nil {
		err = ui.AuthorizeAll(p, authz.ReadAuditLog, entries, audit.Entry.Owner)
	}
	if err != nil || len(entries) == 0 {
		return "", err
	}
	return entries[0].Actor.Name, nil
}

// keyPath is the address of a key's page, or of one below it.
func keyPath(p *ui.Principal, k apikeys.Key, below string) string {
	return p.Path("/settings/api-keys/" + k.ID + below)
}

// replaceable reports whether the key can be replaced: it works, and was not replaced.
func (h *Handler) replaceable(p *ui.Principal, k apikeys.Key) bool {
	return k.RevokedAt == nil && k.State(h.Now(), p.Organisation.Plan) == apikeys.Usable
}
