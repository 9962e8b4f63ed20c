package web

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"dg/modules/apikeys"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/input"
)

// newKeyView is the form that creates a key.
type newKeyView struct {
	layout
	formErrors
	Path, Back             string
	IdempotencyKey         string // makes one key of the form, however often it is sent
	Today                  string // the day from which the choices count
	Name                   string
	ReadForks, ReadReports bool
	unknownScope           bool
	Expiry                 string // "30", "90", "365", "day" or "never"
	Choices                []expiryChoice
	Day, Time              string
}

// newKeyForm answers GET /settings/api-keys/new.
func (h *Handler) newKeyForm(c *fiber.Ctx, p *principal) error {
	keys, err := h.Keys.List(c.UserContext(), p.keyActor())
	if err != nil {
		return err
	}
	active := 0
	for _, k := range keys {
		if h.keyRow(p, k).active {
			active++
		}
	}
	if obstacles := creationObstacles(p, active); len(obstacles) > 0 {
		return obstacles[0].refusal()
	}
	return h.renderNewKey(c, p, fiber.StatusOK, newKeyView{IdempotencyKey: uuid.NewString(), Expiry: "90"})
}

func (h *Handler) renderNewKey(c *fiber.Ctx, p *principal, status int, view newKeyView) error {
	view.Path, view.Back = p.path("/settings/api-keys/new"), p.path("/settings/api-keys")
	view.Today, view.Choices = h.today().Format(time.DateOnly), expiryChoices(h.today())
	var err error
	if view.layout, err = h.settingsLayout(c, p, titleOf("Create key", status), "api-keys"); err != nil {
		return err
	}
	return h.render(c, status, "key-new", &view)
}

// createKey answers POST /settings/api-keys/new. Its answer is the only one that shows the secret, so everything that can fail
// happens before the key is created.
func (h *Handler) createKey(c *fiber.Ctx, p *principal) error {
	if obstacles := creationObstacles(p, 0); len(obstacles) > 0 {
		return obstacles[0].refusal()
	}
	view := parseNewKeyForm(c)
	in, invalid := view.read(h.now())
	if len(invalid) > 0 {
		return h.rejectNewKey(c, p, view, invalid)
	}
	created, err := h.newCreatedView(c, p, in)
	if err != nil {
		return err
	}
	key, token, err := h.Keys.Create(c.UserContext(), p.keyActor(), in, apikeys.RequestOf(c, c.Path()))
	switch {
	case errors.Is(err, apikeys.ErrAlreadyCreated):
		return h.renderAlreadyCreated(c, p, key)
	case apperr.Is(err, apperr.Validation): // the expiry has just passed
		return h.rejectNewKey(c, p, view, []formError{{"expiry", apperr.From(err).Message}})
	case err != nil:
		return err
	}
	created.Until, created.Secret = key.ExpiresAt, token.String()
	return h.render(c, fiber.StatusOK, "key-created", &created)
}

// rejectNewKey shows the form again with all its errors.
func (h *Handler) rejectNewKey(c *fiber.Ctx, p *principal, view newKeyView, invalid []formError) error {
	view.Errors, view.Name = invalid, strings.ToValidUTF8(view.Name, "�")
	if !org.IsID(view.IdempotencyKey) {
		view.IdempotencyKey = uuid.NewString()
	}
	return h.renderNewKey(c, p, fiber.StatusBadRequest, view)
}

// parseNewKeyForm reads the form as it was filled in.
func parseNewKeyForm(c *fiber.Ctx) newKeyView {
	view := newKeyView{
		IdempotencyKey: formValue(c, "idempotencyKey"), Today: formValue(c, "today"), Name: formValue(c, "name"),
		Expiry: formValue(c, "expiry"), Day: formValue(c, "day"), Time: formValue(c, "time"),
	}
	for _, scope := range c.Context().PostArgs().PeekMulti("scopes") {
		switch apikeys.Scope(scope) {
		case apikeys.ForksRead:
			view.ReadForks = true
		case apikeys.ReportsRead:
			view.ReadReports = true
		default:
			view.unknownScope = true
		}
	}
	return view
}

// read returns the key that the form describes, or all errors of the form.
func (view *newKeyView) read(now time.Time) (apikeys.NewKey, []formError) {
	in := apikeys.NewKey{Name: strings.TrimSpace(view.Name), IdempotencyKey: view.IdempotencyKey}
	var invalid []formError
	add := func(field, message string) {
		if message != "" {
			invalid = append(invalid, formError{field, message})
		}
	}
	add("name", nameError(in.Name))
	if view.ReadForks {
		in.Scopes = append(in.Scopes, apikeys.ForksRead)
	}
	if view.ReadReports {
		in.Scopes = append(in.Scopes, apikeys.ReportsRead)
	}
	if in.Scopes == nil || view.unknownScope {
		add("scopes", "Choose at least one scope.")
	}
	at, e := view.expiresAt(now)
	in.ExpiresAt = at
	add(e.Field, e.Message)
	if !org.IsID(view.IdempotencyKey) {
		add("main", "The form was incomplete. Check it and send it again.")
	}
	return in, invalid
}

// nameError returns the error of a name, or "".
func nameError(name string) string {
	visible := strings.ContainsFunc(name, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
	switch n := utf8.RuneCountInString(name); {
	case input.ValidText(name):
		return ""
	case !visible:
		return "Enter a name."
	case n > 200:
		return "The name has " + count(int64(n)) + " characters. Use 200 or fewer."
	}
	return "The name contains invalid characters, such as a line break. Type it again."
}
