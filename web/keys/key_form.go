package keys

import (
	"errors"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/apperr"
	"dg/platform/input"
	"dg/web/ui"
)

type keyFormView struct {
	ui.Layout
	ui.FormErrors
	keyForm
	Old        *keyRow // the key to replace, or nil
	Path, Back string  // the form's target, and where Cancel leads
	FirstDay   string  // YYYY-MM-DD, the minimum of the date field: tomorrow
	Expiries   []expiryChoice
	Overlaps   []overlapChoice
}

// keyForm has the values of the fields, valid or not.
type keyForm struct {
	apikeys.Label
	ID       string // id of the key that the form creates: a repeated form creates one key
	Scopes   []apikeys.Scope
	Overlap  string
	Expiry   string // a number of days, "day" or "never"
	Day      string
	replaces string // the id of the old key, or ""
}

func (f keyForm) Has(scope apikeys.Scope) bool { return slices.Contains(f.Scopes, scope) }

type overlapChoice struct {
	apikeys.Overlap
	StopsAt time.Time // when the old key stops working; see overlapsOf
}

// overlap returns the chosen overlap. Its Duration is -1 for an unknown choice, and for a replacement
// without a choice.
func (f keyForm) overlap() apikeys.Overlap {
	for _, o := range apikeys.Overlaps {
		if o.Value == f.Overlap || f.replaces == "" && f.Overlap == "" {
			return o
		}
	}
	return apikeys.Overlap{Duration: -1}
}

// KeyForm handles GET /settings/api-keys/new and GET /settings/api-keys/:key/replace.
func (h *Handler) KeyForm(c *fiber.Ctx, p *ui.Principal) error {
	view, err := h.newKeyForm(c, p)
	if err != nil {
		return err
	}
	if view.FormErrors, _, err = h.Reauthenticate(c, p, ui.FormErrors{}); err != nil {
		return err
	}
	return h.renderKeyForm(c, p, fiber.StatusOK, view)
}

// CreateKey handles POST /settings/api-keys/new and POST /settings/api-keys/:key/replace.
func (h *Handler) CreateKey(c *fiber.Ctx, p *ui.Principal) error {
	view, err := h.newKeyForm(c, p)
	if err != nil {
		return err
	}
	view.keyForm = parseKeyForm(c, view.Day)
	newKey, errs := view.newKey(h.Now())
	var status int
	view.FormErrors, status, err = h.Reauthenticate(c, p, errs)
	if err != nil {
		return err
	}
	if status != 0 {
		return h.renderKeyForm(c, p, status, view)
	}
	key, token, err := h.Keys.Create(c.UserContext(), p.KeyActor(), newKey,
		apikeys.AuditRequest(c, c.Path()))
	switch {
	case errors.Is(err, apikeys.ErrAlreadyCreated):
		ui.Flash(c, ui.Notice{
			Strong: "This form was sent twice, and the key was created once.",
			Before: " If you have not copied its secret, replace the key.",
		})
		return c.Redirect(p.KeyPath(view.ID, ""), fiber.StatusSeeOther)
	case errors.Is(err, apikeys.ErrTooMany):
		view.FormErrors = ui.FieldError("main", apikeys.ErrTooMany.Message)
	case apperr.Is(err, apperr.Validation): // the expiry has passed since the form was checked
		view.FormErrors = ui.FieldError("expiry", apperr.From(err).Message)
	case err != nil:
		return err
	default:
		created := h.newCreatedView(c, p, view, key, token.String())
		return h.Render(c, fiber.StatusOK, "key-created", &created)
	}
	return h.renderKeyForm(c, p, fiber.StatusBadRequest, view)
}

func (h *Handler) newKeyForm(c *fiber.Ctx, p *ui.Principal) (keyFormView, error) {
	view := keyFormView{
		keyForm: keyForm{
			ID:     apikeys.NewID(),
			Scopes: []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead},
			Expiry: "90",
		},
		Path:     p.Path(ui.SettingsPath + "/new"),
		Back:     p.Path(ui.SettingsPath),
		FirstDay: h.Today().AddDate(0, 0, 1).Format(time.DateOnly),
		Expiries: expiryChoices(h.Today()),
	}
	view.Title = "Create key"
	if !p.Organisation.Plan.IncludesAPI() {
		return view, apikeys.ErrBelowPlan
	}
	if c.Params("key") == "" {
		return view, nil
	}
	k, err := h.keyOf(c, p)
	// a POST may be a form sent twice, which Create recognises
	if err == nil && c.Method() != fiber.MethodPost && !h.replaceable(p, k) {
		err = apikeys.ErrNotReplaceable
	}
	if err != nil {
		return view, err
	}
	old := h.keyRow(p, k)
	view.Old = &old
	view.Title = "Replace key"
	view.Path = p.KeyPath(k.ID, "/replace")
	view.Back = old.Path
	view.Overlaps = h.overlapsOf(k)
	view.Label = apikeys.Label{Name: k.Name, Description: k.Description}
	view.Scopes = k.Scopes
	view.Overlap = "day"
	view.Expiry, view.Day = successorExpiry(k, h.Today())
	return view, nil
}

// overlapsOf returns the overlaps for replacing k. Each ends at the expiry of k at the latest.
func (h *Handler) overlapsOf(k apikeys.Key) []overlapChoice {
	var choices []overlapChoice
	for _, o := range apikeys.Overlaps {
		until := h.Now().Add(o.Duration)
		if k.ExpiresAt != nil && k.ExpiresAt.Before(until) {
			until = *k.ExpiresAt
		}
		choices = append(choices, overlapChoice{o, until})
	}
	return choices
}

func (h *Handler) renderKeyForm(c *fiber.Ctx, p *ui.Principal, status int, view keyFormView) error {
	view.Label = validUTF8(view.Label)
	return h.RenderSettings(c, p, status, "key-form", &view)
}

func parseKeyForm(c *fiber.Ctx, offeredDay string) keyForm {
	form := keyForm{
		Label:    parseLabel(c),
		ID:       ui.FormValue(c, "id"),
		Overlap:  ui.FormValue(c, "overlap"),
		Expiry:   ui.FormValue(c, "expiry"),
		Day:      ui.FormValue(c, "day"),
		replaces: input.PathID(c.Params("key")),
	}
	if form.Expiry != "day" && form.Day == offeredDay {
		form.Day = "" // without script, an unchanged day is sent too
	}
	for _, scope := range c.Context().PostArgs().PeekMulti("scopes") {
		form.Scopes = append(form.Scopes, apikeys.Scope(scope))
	}
	return form
}

// newKey returns the key to create. The key is valid only if there are no errors.
func (f keyForm) newKey(now time.Time) (apikeys.NewKey, ui.FormErrors) {
	expiresAt, expiryErrors := f.expiresAt(now)
	newKey := apikeys.NewKey{
		ID:          f.ID,
		Name:        f.Name,
		Description: f.Description,
		Scopes:      slices.Compact(slices.Sorted(slices.Values(f.Scopes))),
		ExpiresAt:   expiresAt,
		Replaces:    f.replaces,
		Overlap:     f.overlap().Duration,
	}
	errs := formErrors(newKey.Violations())
	errs.Errors = append(errs.Errors, expiryErrors.Errors...)
	return newKey, errs
}
