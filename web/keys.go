package web

import (
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/authz"
)

func (h *Handler) mountKeys(router routes) {
	router.Get("/settings/api-keys", h.member(authz.ListKeys, h.listKeys))
	router.Get("/settings/api-keys/new", h.member(authz.CreateKey, h.newKeyForm))
	router.Post("/settings/api-keys/new", h.member(authz.CreateKey, h.createKey))
	router.Get("/settings/api-keys/:key/revoke", h.member(authz.RevokeKey, h.revokeKeyForm))
	router.Post("/settings/api-keys/:key/revoke", h.member(authz.RevokeKey, h.revokeKey))
}

// keysView is the list of the organisation's keys.
type keysView struct {
	layout
	pager                // of the ended keys
	Create        string // path, or "" where creating is off
	Paused        bool
	Usable, Ended []keyRow
	AllEnded      string // how many there are
	Unfolded      bool
	More          bool // whether there may be ended keys that are not listed
}

// keyRow is a key in words.
type keyRow struct {
	Name, ID    string
	State, Mark string     // in words, and the class of its mark
	Until       string     // what happens at At, or all there is to say
	At          *time.Time // of the state; nil: never
	Reads       string
	Created     time.Time
	Creator     string
	LastUse     *time.Time // nil: never
	Revoke      string     // path, or "" where there is nothing to revoke
	usable      bool
}

// endedOnPage is how many revoked and expired keys are shown at once. Of usable ones there are apikeys.MaxUsable at most.
const endedOnPage = 100

// listKeys answers GET /settings/api-keys. The address may name a key that was just revoked.
func (h *Handler) listKeys(c *fiber.Ctx, p *principal) error {
	keys, err := h.keysOf(c, p)
	if err != nil {
		return err
	}
	return h.renderKeys(c, p, keys, revocation(c, keys))
}

func (h *Handler) keysOf(c *fiber.Ctx, p *principal) ([]apikeys.Key, error) {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	return h.Keys.List(ctx, p.actor())
}

// renderKeys shows the keys under a notice of what has just happened, or nil.
func (h *Handler) renderKeys(c *fiber.Ctx, p *principal, keys []apikeys.Key, done *notice) error {
	view := keysView{Paused: !p.Organisation.Plan.IncludesAPI(), More: len(keys) == apikeys.MaxListed}
	var ended []keyRow
	for _, k := range keys {
		if line := h.keyRow(p, k); line.usable {
			view.Usable = append(view.Usable, line)
		} else {
			ended = append(ended, line)
		}
	}
	view.pager = newPager(c, len(ended), endedOnPage, func(page int) string { return p.path("/settings/api-keys?page=" + strconv.Itoa(page)) })
	view.Ended, view.AllEnded, view.Unfolded = ended[view.from:view.to], count(int64(len(ended))), c.Query("page") != ""
	var err error
	if view.layout, err = h.settingsLayout(c, p, "API keys", "api-keys"); err != nil {
		return err
	}
	if done != nil { // what the reader has just done comes before what the reader should do
		view.Notices = append([]notice{*done}, view.Notices...)
	}
	off := h.creatingOff(p, len(view.Usable))
	if view.Notices = append(view.Notices, off...); len(off) == 0 {
		view.Create = p.path("/settings/api-keys/new")
	}
	return h.render(c, fiber.StatusOK, "keys", &view)
}

// keyRow puts a key into words, as it is now.
func (h *Handler) keyRow(p *principal, k apikeys.Key) keyRow {
	now := h.now()
	l := keyRow{
		Name: k.Name, ID: apikeys.TokenPrefix + k.ID + "_…", Reads: readsOf(k.Scopes), Created: k.CreatedAt, Creator: k.CreatedBy.Name,
		LastUse: k.LastUsedAt, At: k.ExpiresAt, Until: "until", usable: true,
	}
	switch k.State(now, p.Organisation.Plan) {
	case apikeys.RevokedKey:
		l.State, l.Mark, l.Until, l.At, l.usable = "Revoked", "dead", "since", k.RevokedAt, false
	case apikeys.ExpiredKey:
		l.State, l.Mark, l.Until, l.usable = "Expired", "", "since", false
	case apikeys.PausedByPlan:
		l.State, l.Mark = "Paused by plan", "held"
	case apikeys.Usable:
		l.State, l.Mark = "Active", "on"
		if k.ExpiresSoon(now) {
			l.State, l.Mark, l.Until = "Expires "+inDays(k.ExpiresAt.Sub(now)), "soon", "at"
		}
	}
	if l.At == nil {
		l.Until = "never expires"
	}
	if l.usable {
		l.Revoke = p.path("/settings/api-keys/" + k.ID + "/revoke")
	}
	return l
}

// readsOf are scopes in words, in one order.
func readsOf(scopes []apikeys.Scope) string {
	var forks, reports bool
	for _, scope := range scopes {
		forks, reports = forks || scope == apikeys.ForksRead, reports || scope == apikeys.ReportsRead
	}
	switch {
	case forks && reports:
		return "Forks, reports"
	case forks:
		return "Forks"
	}
	return "Reports"
}

// needsTwoStep is why an admin without two-step verification creates no keys.
const needsTwoStep = "Creating keys needs two-step on your account."

// creatingOff says why creating a key is off, though the reader sees the settings; nothing where it is on.
func (h *Handler) creatingOff(p *principal, usable int) []notice {
	var off []notice
	if !p.Organisation.Plan.IncludesAPI() {
		off = append(off, notice{
			Kind: "warn", Strong: "Keys are paused.", Before: " Your plan no longer includes the API, so every request with a key is refused and " +
				"creating is off. You can still list and revoke keys. Back on Pro, they work again by themselves.",
			Action: "See the plan", ActionPath: p.path("/settings/organisation"),
		})
	}
	if !p.may(authz.CreateKey) {
		off = append(off, notice{
			Strong: needsTwoStep, Before: " You can list and revoke keys as you are.", Action: "Set up two-step", ActionPath: "/account/two-step",
		})
	}
	if usable >= apikeys.MaxUsable {
		off = append(off, notice{Strong: "Creating is off.", Before: " " + apikeys.ErrTooMany.Message})
	}
	return off
}
