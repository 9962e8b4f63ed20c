package keys

import (
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/input"
	"dg/web/ui"
)

// keysView is the list of the organisation's keys.
type keysView struct {
	ui.Layout
	ui.Pager            // of the inactive keys
	List, Create string // paths; Create is "" if creating is not possible
	Search       string
	Searchable   bool // whether there are more keys than one glance finds
	Paused       bool
	Active       []keyRow
	Inactive     []keyRow // revoked or expired
	AllInactive  string   // how many there are
	OpenInactive bool
	Truncated    bool // whether older inactive keys may exist
}

// fewKeys are found at one glance.
const fewKeys = 20

// keyRow is a key as the list shows it.
type keyRow struct {
	Name, ID     string
	Status, Mark string     // Mark is the CSS class
	Until        string     // the word before At, or "Never expires"
	At           *time.Time // of the expiry or revocation; nil: never
	Scopes       string
	Created      time.Time
	Creator      string
	LastUsed     *time.Time // nil: never
	Spark        string     // of the requests of the last 30 days, or "" of none
	Requests     string     // their number
	Page         string
	Revoke       string // path, or "" if there is nothing to revoke
	active, near bool
}

// Instant shows At. Its time of day matters only near it.
func (r keyRow) Instant() template.HTML {
	if r.near {
		return ui.Minute(*r.At)
	}
	return ui.Date(*r.At)
}

// near reports whether an instant is so close that its time of day matters.
func near(t *time.Time, now time.Time) bool {
	return t != nil && t.Sub(now).Abs() <= 48*time.Hour
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
		List:       p.Path("/settings/api-keys"),
		Search:     strings.TrimSpace(strings.ToValidUTF8(c.Query("q"), "\uFFFD")),
		Searchable: len(keys) > fewKeys,
		Paused:     !p.Organisation.Plan.IncludesAPI(),
		Truncated:  len(keys) == apikeys.MaxListed,
	}
	active, err := h.addRows(c, p, keys, &view)
	if err != nil {
		return err
	}
	if view.Layout, err = h.settings.Layout(c, p, "API keys", "api-keys"); err != nil {
		return err
	}
	if done != nil {
		view.Notices = append([]ui.Notice{*done}, view.Notices...)
	}
	create := p.Path("/settings/api-keys/new")
	obstacles := creationObstacles(p, len(keys) > 0, active, create)
	if view.Notices = append(view.Notices, obstacles...); len(obstacles) == 0 {
		view.Create = create
	}
	return h.Render(c, fiber.StatusOK, "keys", &view)
}

// addRows adds the keys that the search finds, and returns how many there are that have not ended.
func (h *Handler) addRows(
	c *fiber.Ctx, p *ui.Principal, keys []apikeys.Key, view *keysView,
) (active int, err error) {
	var inactive []keyRow
	unended := slices.DeleteFunc(slices.Clone(keys), func(k apikeys.Key) bool {
		return !h.keyRow(p, k).active
	})
	used, err := h.usageOf(c.UserContext(), p, unended)
	if err != nil {
		return 0, err
	}
	search := input.Fold(view.Search)
	for _, k := range keys {
		row := h.keyRow(p, k)
		switch {
		case search != "" && !strings.Contains(input.Fold(row.Name+" "+row.ID), search):
		case row.active:
			row.Spark, row.Requests = spark(used[k.ID])
			if used == nil {
				row.Requests = "Not available"
			}
			view.Active = append(view.Active, row)
		default:
			inactive = append(inactive, row)
		}
	}
	view.Pager = ui.NewPager(c, len(inactive), inactivePerPage, func(page int) string {
		path := ui.WithParam(view.List, "page", strconv.Itoa(page))
		if view.Search != "" {
			path = ui.WithParam(path, "q", view.Search)
		}
		return path
	})
	view.Inactive = inactive[view.From:view.To]
	view.AllInactive = ui.Count(int64(len(inactive)))
	view.OpenInactive = c.Query("page")+view.Search != ""
	return len(unended), nil
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
		Page:     keyPath(p, k, ""),
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
	if r.near = near(r.At, now); r.At == nil {
		r.Until = "Never expires"
	}
	if r.active {
		r.Revoke = keyPath(p, k, "/revoke")
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

// creationObstacles returns why a person cannot create a key, if they cannot. Next is the page
// after two-step verification is set up; had says whether the organisation ever had keys.
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
			Kind:       "warn",
			Strong:     "API keys are paused.",
			Before:     " Without the Pro plan, requests are refused, and you can only list and revoke keys.",
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
