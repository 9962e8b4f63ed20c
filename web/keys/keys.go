package keys

import (
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/authz"
	"dg/web/ui"
)

// keysView is the list of the organisation's keys.
type keysView struct {
	ui.Layout
	ui.Pager            // of the inactive keys
	Create       string // path, or "" if creating is not possible
	Paused       bool
	Active       []keyRow
	Inactive     []keyRow // revoked or expired
	AllInactive  string   // how many there are
	OpenInactive bool
	Truncated    bool // whether older inactive keys may exist
}

// keyRow is a key as the list shows it.
type keyRow struct {
	Name, ID     string
	Status, Mark string     // Mark is the CSS class
	Until        string     // the words before At, or "Never expires"
	At           *time.Time // of the expiry or revocation; nil: never
	Scopes       string
	Created      time.Time
	Creator      string
	LastUsed     *time.Time // nil: never
	Spark        string     // of the requests of the last 30 days, or "" of none
	Requests     string     // their number
	Page         string
	Revoke       string // path, or "" if there is nothing to revoke
	active       bool
}

// inactivePerPage is the page size of revoked and expired keys. Active keys are not paged: there
// are apikeys.MaxUsable at most.
const inactivePerPage = 100

// ListKeys answers GET /settings/api-keys.
func (h *Handler) ListKeys(c *fiber.Ctx, p *ui.Principal) error {
	keys, err := h.Keys.List(c.UserContext(), p.KeyActor())
	if err != nil {
		return err
	}
	view := keysView{
		Paused:    !p.Organisation.Plan.IncludesAPI(),
		Truncated: len(keys) == apikeys.MaxListed,
	}
	if err := h.addRows(c, p, keys, &view); err != nil {
		return err
	}
	if view.Layout, err = h.layout(c, p, "API keys"); err != nil {
		return err
	}
	create := p.Path(ui.SettingsPath + "/new")
	switch {
	case view.Paused:
		view.Notices = append(view.Notices, ui.Notice{
			Kind:       "warn",
			Strong:     "The API comes with the Pro plan.",
			Before:     " Keys are paused: you can only list, rename and revoke them.",
			Action:     "See the plan",
			ActionPath: p.Path("/settings/organisation"),
		})
	case !p.May(authz.CreateKey):
		view.Notices = append(view.Notices, ui.Notice{
			Strong:     "Turn on two-step verification to create keys.",
			Before:     " You can list and revoke keys without it.",
			Action:     "Set up two-step verification",
			ActionPath: p.TwoStepFor(create),
		})
	default:
		view.Create = create
	}
	return h.Render(c, fiber.StatusOK, "keys", &view)
}

// addRows adds the keys.
func (h *Handler) addRows(
	c *fiber.Ctx, p *ui.Principal, keys []apikeys.Key, view *keysView,
) error {
	var active []apikeys.Key
	var inactive []keyRow
	for _, k := range keys {
		if row := h.keyRow(p, k); row.active {
			active = append(active, k)
		} else {
			inactive = append(inactive, row)
		}
	}
	used, err := h.usageOf(c.UserContext(), p, active)
	if err != nil {
		return err
	}
	for _, k := range underSuccessors(active) {
		row := h.keyRow(p, k)
		row.Spark, row.Requests = spark(used[k.ID])
		if used == nil {
			row.Requests = "Not available"
		}
		view.Active = append(view.Active, row)
	}
	view.Pager = ui.NewPager(c, len(inactive), inactivePerPage, func(page int) string {
		return ui.WithParam(p.Path(ui.SettingsPath), "page", strconv.Itoa(page))
	})
	view.Inactive = inactive[view.From:view.To]
	view.AllInactive = ui.Count(int64(len(inactive)))
	view.OpenInactive = c.Query("page") != ""
	return nil
}

// underSuccessors puts each key under the one that replaced it.
func underSuccessors(keys []apikeys.Key) []apikeys.Key {
	byID := map[string]apikeys.Key{}
	replaced := map[string]bool{}
	for _, k := range keys {
		byID[k.ID] = k
		replaced[k.Replaces] = true
	}
	var ordered []apikeys.Key
	for _, k := range keys {
		for found := !replaced[k.ID]; found; k, found = byID[k.Replaces] {
			ordered = append(ordered, k)
		}
	}
	return ordered
}

func (h *Handler) keyRow(p *ui.Principal, k apikeys.Key) keyRow {
	now := h.Now()
	stops := k.Stopping(now) && (k.ExpiresAt == nil || k.RevokedAt.Before(*k.ExpiresAt))
	r := keyRow{
		Name:     k.Name,
		ID:       apikeys.TokenPrefix + k.ID + "_…",
		Scopes:   scopeLabel(k.Scopes),
		Created:  k.CreatedAt,
		Creator:  k.CreatedBy.Name,
		LastUsed: k.LastUsedAt,
		At:       k.ExpiresAt,
		Until:    "Until",
		active:   true,
		Page:     keyPath(p, k.ID, ""),
	}
	switch k.State(now, p.Organisation.Plan) {
	case apikeys.RevokedKey:
		r.Status = "Revoked"
		r.Mark = "dead"
		r.Until = "Since"
		r.At = k.RevokedAt
		r.active = false
	case apikeys.ExpiredKey:
		r.Status = "Expired"
		r.Mark = ""
		r.Until = "Since"
		r.active = false
	case apikeys.PausedByPlan:
		r.Status = "Paused by plan"
		r.Mark = "held"
	case apikeys.Usable:
		r.Status = "Active"
		r.Mark = "on"
		if stops {
			r.Status = "Replaced"
			r.Mark = "soon"
		} else if k.ExpiresSoon(now) {
			r.Status = ui.Plural(daysOf(k.ExpiresAt.Sub(now)), "Expires in %s day",
				"Expires in %s days")
			r.Mark = "soon"
			r.Until = "On"
		}
	}
	if r.active && stops { // a paused one too
		r.Until = "Stops on"
		r.At = k.RevokedAt
	}
	if r.At == nil {
		r.Until = "Never expires"
	}
	if r.active {
		r.Revoke = keyPath(p, k.ID, "/revoke")
	}
	return r
}

// scopeLabel names what the scopes read, always in the same order.
func scopeLabel(scopes []apikeys.Scope) string {
	var forks, reports bool
	for _, scope := range scopes {
		forks = forks || scope == apikeys.ForksRead
		reports = reports || scope == apikeys.ReportsRead
	}
	switch {
	case forks && reports:
		return "Forks, reports"
	case forks:
		return "Forks"
	}
	return "Reports"
}
