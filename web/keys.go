package web

import (
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/authz"
)

func (s *Site) mountKeys(router routes) {
	router.Get("/settings/api-keys", s.member(authz.ListKeys, s.listKeys))
	router.Get("/settings/api-keys/new", s.member(authz.CreateKey, s.askNewKey))
	router.Post("/settings/api-keys/new", s.member(authz.CreateKey, s.createKey))
	router.Get("/settings/api-keys/:key/revoke", s.member(authz.RevokeKey, s.askRevocation))
	router.Post("/settings/api-keys/:key/revoke", s.member(authz.RevokeKey, s.revokeKey))
}

// keysView is the list of the organisation's keys.
type keysView struct {
	shell
	Create         string // path, or "" where creating is off
	Paused         bool
	Usable, Ended  []keyLine
	AllEnded       string // how many there are
	Unfolded       bool
	Shown          string // 1–100 of 240
	Previous, Next string // paths, or ""
	More           bool   // whether there may be ended keys that are not listed
}

// keyLine is a key in words.
type keyLine struct {
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
func (s *Site) listKeys(c *fiber.Ctx, v *visit) error {
	keys, err := s.keysOf(c, v)
	if err != nil {
		return err
	}
	return s.showKeys(c, v, keys, revocation(c, keys))
}

func (s *Site) keysOf(c *fiber.Ctx, v *visit) ([]apikeys.Key, error) {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	return s.Keys.List(ctx, v.actor())
}

// showKeys shows the keys under a notice of what has just happened, or nil.
func (s *Site) showKeys(c *fiber.Ctx, v *visit, keys []apikeys.Key, done *notice) error {
	view := keysView{Paused: !v.Organisation.Plan.IncludesAPI(), More: len(keys) == apikeys.MaxListed}
	var ended []keyLine
	for _, k := range keys {
		if line := s.keyLine(v, k); line.usable {
			view.Usable = append(view.Usable, line)
		} else {
			ended = append(ended, line)
		}
	}
	p := newPager(len(ended), endedOnPage, pageIn(c))
	view.Ended, view.AllEnded, view.Shown, view.Unfolded = ended[p.from:p.to], count(int64(p.all)), p.shown(), c.Query("page") != ""
	turn := func(page int) string { return v.path("/settings/api-keys?page=" + strconv.Itoa(page)) }
	if p.page > 1 {
		view.Previous = turn(p.page - 1)
	}
	if p.to < p.all {
		view.Next = turn(p.page + 1)
	}
	var err error
	if view.shell, err = s.settingsShell(c, v, "API keys", "api-keys"); err != nil {
		return err
	}
	if done != nil { // what the reader has just done comes before what the reader should do
		view.Notices = append([]notice{*done}, view.Notices...)
	}
	off := s.creatingOff(v, len(view.Usable))
	if view.Notices = append(view.Notices, off...); len(off) == 0 {
		view.Create = v.path("/settings/api-keys/new")
	}
	return s.show(c, fiber.StatusOK, "keys", &view)
}

// keyLine puts a key into words, as it is now.
func (s *Site) keyLine(v *visit, k apikeys.Key) keyLine {
	now := s.now()
	l := keyLine{
		Name: k.Name, ID: apikeys.TokenPrefix + k.ID + "_…", Reads: readsOf(k.Scopes), Created: k.CreatedAt, Creator: k.CreatedBy.Name,
		LastUse: k.LastUsedAt, At: k.ExpiresAt, Until: "until", usable: true,
	}
	switch k.State(now, v.Organisation.Plan) {
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
		l.Revoke = v.path("/settings/api-keys/" + k.ID + "/revoke")
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
func (s *Site) creatingOff(v *visit, usable int) []notice {
	var off []notice
	if !v.Organisation.Plan.IncludesAPI() {
		off = append(off, notice{
			Kind: "warn", Strong: "Keys are paused.", Before: " Your plan no longer includes the API, so every request with a key is refused and " +
				"creating is off. You can still list and revoke keys. Back on Pro, they work again by themselves.",
			Action: "See the plan", ActionPath: v.path("/settings/organisation"),
		})
	}
	if !v.may(authz.CreateKey) {
		off = append(off, notice{
			Strong: needsTwoStep, Before: " You can list and revoke keys as you are.", Action: "Set up two-step", ActionPath: "/account/two-step",
		})
	}
	if usable >= apikeys.MaxUsable {
		off = append(off, notice{Strong: "Creating is off.", Before: " " + apikeys.ErrTooMany.Message})
	}
	return off
}
