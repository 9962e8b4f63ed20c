package keys

import (
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/apperr"
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
	Until        string     // the word before At, or "never expires"
	At           *time.Time // of the expiry or revocation; nil: never
	Scopes       string
	Created      time.Time
	Creator      string
	LastUsed     *time.Time // nil: never
	Page         string
	Revoke       string // path, or "" if there is nothing to revoke
	active       bool
	Locale       ui.Locale
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
	return h.renderKeys(c, p, keys, nil)
}

// renderKeys shows the keys, below the notice if there is one.
func (h *Handler) renderKeys(
	c *fiber.Ctx, p *ui.Principal, keys []apikeys.Key, done *ui.Notice,
) error {
	view := keysView{
		Paused:    !p.Organisation.Plan.IncludesAPI(),
		Truncated: len(keys) == apikeys.MaxListed,
	}
	var inactive []keyRow
	for _, k := range keys {
		if row := h.keyRow(p, k); row.active {
			view.Active = append(view.Active, row)
		} else {
			inactive = append(inactive, row)
		}
	}
	view.Pager = ui.NewPager(c, len(inactive), inactivePerPage, func(page int) string {
		return p.Path("/settings/api-keys?page=" + strconv.Itoa(page))
	})
	view.Inactive = inactive[view.From:view.To]
	view.AllInactive = p.Locale.Count(int64(len(inactive)))
	view.OpenInactive = c.Query("page") != ""
	var err error
	if view.Layout, err = h.settings.Layout(c, p, "API keys", "api-keys"); err != nil {
		return err
	}
	if done != nil {
		view.Notices = append([]ui.Notice{*done}, view.Notices...)
	}
	obstacles := creationObstacles(p, len(keys) > 0, len(view.Active),
		p.Path("/settings/api-keys/new"))
	if view.Notices = append(view.Notices, obstacles...); len(obstacles) == 0 {
		view.Create = p.Path("/settings/api-keys/new")
	}
	return h.Render(c, fiber.StatusOK, "keys", &view)
}

func (h *Handler) keyRow(p *ui.Principal, k apikeys.Key) keyRow {
	now := h.Now()
	stops := k.Stopping(now) && (k.ExpiresAt == nil || k.RevokedAt.Before(*k.ExpiresAt))
	r := keyRow{
		Name:     k.Name,
		ID:       apikeys.TokenPrefix + k.ID + "_…",
		Scopes:   scopeLabel(k.Scopes, ", "),
		Created:  k.CreatedAt,
		Creator:  k.CreatedBy.Name,
		LastUsed: k.LastUsedAt,
		At:       k.ExpiresAt,
		Until:    "until",
		active:   true,
		Page:     keyPath(p, k, ""),
		Locale:   p.Locale,
	}
	switch k.State(now, p.Organisation.Plan) {
	case apikeys.RevokedKey:
		r.Status = "Revoked"
		r.Mark = "dead"
		r.Until = "since"
		r.At = k.RevokedAt
		r.active = false
	case apikeys.ExpiredKey:
		r.Status = "Expired"
		r.Mark = ""
		r.Until = "since"
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
			r.Status = "Expires " + inDays(k.ExpiresAt.Sub(now))
			r.Mark = "soon"
			r.Until = "at"
		}
	}
	if r.active && stops { // a paused one too
		r.Until = "stops on"
		r.At = k.RevokedAt
	}
	if r.At == nil {
		r.Until = "never expires"
	}
	if r.active {
		r.Revoke = keyPath(p, k, "/revoke")
	}
	return r
}

// scopeLabel names what the scopes read, always in the same order.
func scopeLabel(scopes []apikeys.Scope, separator string) string {
	var forks, reports bool
	for _, scope := range scopes {
		forks = forks || scope == apikeys.ForksRead
		reports = reports || scope == apikeys.ReportsRead
	}
	switch {
	case forks && reports:
		return "Forks" + separator + "reports"
	case forks:
		return "Forks"
	}
	return "Reports"
}

// creationObstacles says why a person who sees the settings cannot create a key: nothing if it is
// possible. Next is where to continue when two-step verification is set up; had says whether the
// organisation ever had keys.
func creationObstacles(p *ui.Principal, had bool, active int, next string) []ui.Notice {
	var all []ui.Notice
	switch {
	case p.Organisation.Plan.IncludesAPI():
	case !had:
		all = append(all, ui.Notice{
			Strong:     "The API comes with the Pro plan.",
			Before:     " Your plan does not include it, so you cannot create keys.",
			Action:     "See the plan",
			ActionPath: p.Path("/settings/organisation"),
		})
	default:
		all = append(all, ui.Notice{
			Kind:   "warn",
			Strong: "API keys are paused.",
			Before: " Your plan does not include the API: requests with a key are rejected, and you cannot " +
				"create keys. You can still list and revoke them. They work again when you return to the Pro plan.",
			Action:     "See the plan",
			ActionPath: p.Path("/settings/organisation"),
		})
	}
	if !p.May(authz.CreateKey) {
		all = append(all, ui.Notice{
			Strong:     ui.NeedsTwoStep,
			Before:     " You can list and revoke keys without it.",
			Action:     "Set up two-step verification",
			ActionPath: p.TwoStepFor(next),
		})
	}
	if active >= apikeys.MaxUsable {
		all = append(all, ui.Notice{
			Strong: "You cannot create more keys.",
			Before: " " + apikeys.ErrTooMany.Message,
		})
	}
	return all
}

// refused is the notice as the answer to a request that ignores it.
func refused(n ui.Notice) error {
	return apperr.New(apperr.AccessDenied, "%s", strings.TrimSpace(n.Strong+n.Before))
}
