package keys

import (
	"embed"
	"slices"
	"strconv"
	"time"

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

type keysView struct {
	ui.Layout
	ui.Pager             // pages the inactive keys
	CreatePath    string // path of the form, or "" if the role or the plan does not permit it
	Paused        bool   // whether the plan does not include the API
	Active        []keyRow
	Inactive      []keyRow // revoked or expired keys
	InactiveCount string   // the number of inactive keys on all pages
	OpenInactive  bool     // whether the list of inactive keys is unfolded
	Truncated     bool     // whether there may be older inactive keys than the listed ones
	Query         keysQuery
	Path          string // path of the list without a query
	Searchable    bool   // whether there are enough keys to search
}

type keyRow struct {
	apikeys.Key
	MaskedID        string
	Status, Mark    string     // Mark is the CSS class of Status
	EndLabel        string     // the words before EndsAt, or "Never expires" if EndsAt is nil
	EndsAt          *time.Time // the expiry or revocation, past or future, or nil for never
	ScopeLabel      string
	UsedLately      bool         // whether the key was used in the last day: revoking it would break a tool
	Spark           ui.Sparkline // requests on each of the last 30 days; list only
	Requests        int64        // requests in the last 30 days; list only
	RequestsMissing bool         // whether the requests could not be read in time
	Replaced        bool         // whether the row is shown under the key's successor
	SharesName      bool         // whether another key has the same name, so that both show their ids
	Path            string
	LogPath         string // path of the key's entries in the audit log
	RevokePath      string // path of the form, or "" if the key is not active
}

// inactivePerPage bounds a page of inactive keys. All active keys are on one page.
const inactivePerPage = 100

// minSearchable is the number of keys from which the list has fields to search, filter and sort.
const minSearchable = 8

// ListKeys handles GET /settings/api-keys with all active keys and a page of the inactive ones.
func (h *Handler) ListKeys(c *fiber.Ctx, p *ui.Principal) error {
	keys, err := h.Keys.List(c.UserContext(), p.KeyActor())
	if err != nil {
		return err
	}
	view := keysView{
		Layout:    ui.Layout{Title: "API keys"},
		Paused:    !p.Organisation.Plan.IncludesAPI(),
		Truncated: len(keys) == apikeys.MaxListed,
		Query:     parseKeysQuery(c),
		Path:      p.Path(ui.SettingsPath),
	}
	view.Searchable = len(keys) >= minSearchable || view.Query.IsSet()
	if err := h.addRows(c, p, keys, &view); err != nil {
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
	case !p.May(apikeys.CreateKey):
		view.Notices = append(view.Notices, ui.Notice{
			Strong:     "Turn on two-step verification to create keys.",
			Before:     " You can list and revoke keys without it.",
			Action:     "Set up two-step verification",
			ActionPath: p.TwoStepPath(create),
		})
	default:
		view.CreatePath = create
	}
	return h.RenderSettings(c, p, fiber.StatusOK, "keys", &view)
}

func (h *Handler) addRows(c *fiber.Ctx, p *ui.Principal, keys []apikeys.Key, view *keysView) error {
	var active []apikeys.Key
	var inactive []keyRow
	countByName := map[string]int{}
	for _, k := range keys {
		countByName[k.Name]++
	}
	for _, k := range view.Query.filter(keys, h.Now()) {
		row := h.keyRow(p, k)
		if row.SharesName = countByName[k.Name] > 1; row.RevokePath != "" {
			active = append(active, k)
			view.Active = append(view.Active, row)
		} else {
			inactive = append(inactive, row)
		}
	}
	usage, err := h.usageOf(c.UserContext(), p, active)
	if err != nil {
		return err
	}
	var scale int64 // of all sparklines: the most requests of one key on one day
	for _, days := range usage {
		requests, _ := totals(days)
		scale = max(scale, slices.Max(requests))
	}
	if view.Query.Sort == "" {
		view.Active = underSuccessors(view.Active)
	}
	for i := range view.Active {
		row := &view.Active[i]
		row.Replaced = i > 0 && view.Active[i-1].Replaces == row.ID
		requests, sum := totals(usage[row.ID])
		row.Spark = ui.NewSparkline(requests, scale)
		row.Requests = sum
		row.RequestsMissing = usage == nil
	}
	view.Pager = ui.NewPager(c.Query("page"), len(inactive), inactivePerPage, func(page int) string {
		return view.Query.path(view.Path, strconv.Itoa(page))
	})
	view.Inactive = inactive[view.From:view.To]
	view.InactiveCount = ui.Count(int64(len(inactive)))
	view.OpenInactive = c.Query("page") != "" || view.Query.IsSet() && len(active) == 0
	return nil
}

// underSuccessors moves a replaced key directly under its successor, if keys has the successor.
func underSuccessors(keys []keyRow) []keyRow {
	byID := map[string]keyRow{}
	replaced := map[string]bool{}
	for _, k := range keys {
		byID[k.ID] = k
		replaced[k.Replaces] = true
	}
	var ordered []keyRow
	for _, k := range keys {
		for found := !replaced[k.ID]; found; k, found = byID[k.Replaces] {
			ordered = append(ordered, k)
		}
	}
	return ordered
}

var stateWords = map[apikeys.State]struct{ status, mark, endLabel string }{
	apikeys.StateUsable:  {"Active", "on", "Expires"},
	apikeys.StatePaused:  {"Paused by plan", "held", "Expires"},
	apikeys.StateExpired: {"Expired", "", "Since"},
	apikeys.StateRevoked: {"Revoked", "dead", "Since"},
}

func (h *Handler) keyRow(p *ui.Principal, k apikeys.Key) keyRow {
	now := h.Now()
	state := k.State(now, p.Organisation.Plan)
	words := stateWords[state]
	active := state == apikeys.StateUsable || state == apikeys.StatePaused
	r := keyRow{
		Key:        k,
		MaskedID:   apikeys.Mask(k.ID),
		Status:     words.status,
		Mark:       words.mark,
		EndLabel:   words.endLabel,
		EndsAt:     k.ExpiresAt,
		ScopeLabel: scopeLabel(k.Scopes),
		UsedLately: k.LastUsedAt != nil && now.Sub(*k.LastUsedAt) < ui.OneDay,
		Path:       p.KeyPath(k.ID, ""),
		LogPath:    p.Path("/settings/audit-log?key=" + k.ID),
	}
	switch {
	case state == apikeys.StateRevoked:
		r.EndsAt = k.RevokedAt
	case active && k.RevokedAt != nil && (k.ExpiresAt == nil || k.RevokedAt.Before(*k.ExpiresAt)):
		r.EndsAt = k.RevokedAt
		r.EndLabel = "Stops"
		if state == apikeys.StateUsable {
			r.Status = "Replaced"
			r.Mark = "soon"
		}
	case state == apikeys.StateUsable && k.ExpiresSoon(now):
		left := ui.DaysOf(k.ExpiresAt.Sub(now))
		r.Status = ui.Plural(left, "Expires in %s day", "Expires in %s days")
		r.Mark = "soon"
		r.EndLabel = "On"
	}
	if r.EndsAt == nil {
		r.EndLabel = "Never expires"
	}
	if active {
		r.RevokePath = p.KeyPath(k.ID, "/revoke")
	}
	return r
}

// scopeLabel needs at least one scope, which every key has.
func scopeLabel(scopes []apikeys.Scope) string {
	switch {
	case !slices.Contains(scopes, apikeys.ReportsRead):
		return "Forks"
	case !slices.Contains(scopes, apikeys.ForksRead):
		return "Reports"
	}
	return "Forks, reports"
}
