package web

import (
	"errors"
	"fmt"
	"strconv"
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

// newKeyView is the form that creates a key, with what was typed into it and what is wrong with that.
type newKeyView struct {
	layout
	Path, Back             string
	Once                   string // makes one key, however often the form is sent
	Today                  string // the day from which the choices count
	Name                   string
	ReadForks, ReadReports bool
	otherScope             bool   // whether something else is to be read
	Expiry                 string // "30", "90", "365", "day" or "never"
	Choices                []expiryChoice
	Day, Time              string
	Errors                 []formError
}

// expiryChoice is an expiry in so many days, and its instant.
type expiryChoice struct {
	Days string
	At   time.Time
}

// formError is what is wrong with a field: in the summary above the form, and beside the field.
type formError struct{ Field, Short, Long string }

// Error is what is wrong with a field, or "".
func (view *newKeyView) Error(field string) string {
	for _, e := range view.Errors {
		if e.Field == field {
			return e.Long
		}
	}
	return ""
}

// HowMany counts the errors in words.
func (view *newKeyView) HowMany() string {
	return []string{"", "One thing", "Two things", "Three things", "Four things"}[len(view.Errors)]
}

// newKeyForm answers GET /settings/api-keys/new.
func (h *Handler) newKeyForm(c *fiber.Ctx, p *principal) error {
	keys, err := h.keysOf(c, p)
	if err != nil {
		return err
	}
	usable := 0
	for _, k := range keys {
		if h.keyRow(p, k).usable {
			usable++
		}
	}
	if off := h.creatingOff(p, usable); len(off) > 0 {
		return off[0].refusal()
	}
	return h.renderNewKey(c, p, fiber.StatusOK, newKeyView{Once: uuid.NewString(), Expiry: "90"})
}

// refusal is a notice of why something is off as the answer to whoever tries it.
func (n notice) refusal() error { return apperr.New(apperr.AccessDenied, "%s", n.Strong+n.Before) }

func (h *Handler) renderNewKey(c *fiber.Ctx, p *principal, status int, view newKeyView) error {
	today := h.today()
	view.Path, view.Back = p.path("/settings/api-keys/new"), p.path("/settings/api-keys")
	view.Today = today.Format(time.DateOnly)
	for _, days := range expiryDays {
		view.Choices = append(view.Choices, expiryChoice{strconv.Itoa(days), today.AddDate(0, 0, days)})
	}
	var err error
	if view.layout, err = h.settingsLayout(c, p, titleOf("Create key", status), "api-keys"); err != nil {
		return err
	}
	return h.render(c, status, "key-new", &view)
}

// createKey answers POST /settings/api-keys/new. Its answer is the only one that ever shows the secret; all that could fail
// is done before the key is made.
func (h *Handler) createKey(c *fiber.Ctx, p *principal) error {
	if off := h.creatingOff(p, 0); len(off) > 0 {
		return off[0].refusal()
	}
	view := parseNewKeyForm(c)
	in, wrong := view.read(h.now())
	if len(wrong) > 0 {
		return h.refuseNewKey(c, p, view, wrong)
	}
	created, err := h.newCreatedView(c, p, in)
	if err != nil {
		return err
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	key, token, err := h.Keys.Create(ctx, p.actor(), in, requestOf(c))
	switch {
	case errors.Is(err, apikeys.ErrAlreadyCreated):
		return h.renderAlreadyCreated(c, p, key)
	case apperr.Is(err, apperr.Validation): // the clock has gone on
		message := apperr.From(err).Message
		return h.refuseNewKey(c, p, view, []formError{{"stops", message, message}})
	case err != nil:
		return err
	}
	created.Until, created.Secret = key.ExpiresAt, token.String()
	return h.render(c, fiber.StatusOK, "key-created", &created)
}

// refuseNewKey shows the form again, with all that is wrong at once.
func (h *Handler) refuseNewKey(c *fiber.Ctx, p *principal, view newKeyView, wrong []formError) error {
	view.Errors, view.Name = wrong, strings.ToValidUTF8(view.Name, "�")
	if !org.IsID(view.Once) {
		view.Once = uuid.NewString()
	}
	return h.renderNewKey(c, p, fiber.StatusBadRequest, view)
}

// parseNewKeyForm reads what was sent, as it was typed.
func parseNewKeyForm(c *fiber.Ctx) newKeyView {
	view := newKeyView{
		Once: formValue(c, "once"), Today: formValue(c, "today"), Name: formValue(c, "name"),
		Expiry: formValue(c, "expiry"), Day: formValue(c, "day"), Time: formValue(c, "time"),
	}
	for _, scope := range c.Context().PostArgs().PeekMulti("scopes") {
		switch apikeys.Scope(scope) {
		case apikeys.ForksRead:
			view.ReadForks = true
		case apikeys.ReportsRead:
			view.ReadReports = true
		default:
			view.otherScope = true
		}
	}
	return view
}

// read returns the key that the form asks for, or all that is wrong with it.
func (view *newKeyView) read(now time.Time) (apikeys.NewKey, []formError) {
	in := apikeys.NewKey{Name: strings.TrimSpace(view.Name), IdempotencyKey: view.Once}
	var wrong []formError
	add := func(field, short, long string) {
		if short != "" {
			wrong = append(wrong, formError{field, short, long})
		}
	}
	name := nameError(in.Name)
	add("name", name, name)
	if view.ReadForks {
		in.Scopes = append(in.Scopes, apikeys.ForksRead)
	}
	if view.ReadReports {
		in.Scopes = append(in.Scopes, apikeys.ReportsRead)
	}
	if in.Scopes == nil || view.otherScope {
		add("reads", "Choose what the key may read.", "Choose what the key may read: one or both.")
	}
	at, e := expiryOf(view.Expiry, view.Day, view.Time, view.Today, now)
	in.ExpiresAt = at
	add(e.Field, e.Short, e.Long)
	if !org.IsID(view.Once) {
		add("main", "The form did not arrive whole. Check it and send it again.", "")
	}
	return in, wrong
}

// nameError says what is wrong with a name, or "".
func nameError(name string) string {
	says := strings.ContainsFunc(name, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
	switch n := utf8.RuneCountInString(name); {
	case input.IsText(name):
		return ""
	case !says:
		return "Give the key a name."
	case n > 200:
		return "The name has " + count(int64(n)) + " characters. Shorten it to 200."
	}
	return "The name has a character that cannot be shown, such as a line break. Type it anew."
}

// expiryDays are the expiries to choose from, in days from 00:00 UTC of today.
var expiryDays = []int{30, 90, 365}

// expiryOf returns the instant of a choice, nil for never. A day and a time belong to the choice "day", and are an error with
// any other: nobody knows which one was meant. today is the day from which the form has counted, or "".
func expiryOf(choice, day, clock, today string, now time.Time) (*time.Time, formError) {
	if choice == "day" {
		return dayOf(day, clock, now)
	}
	if day != "" || clock != "" {
		return nil, formError{"day", "A day is given, but not chosen.",
			"A day or a time is given, but “On a day” is not chosen. Choose it, or clear both."}
	}
	if choice == "never" {
		return nil, formError{}
	}
	midnight := now.UTC().Truncate(oneDay)
	for _, days := range expiryDays {
		if choice != strconv.Itoa(days) {
			continue
		}
		if today != "" && today != midnight.Format(time.DateOnly) {
			return nil, formError{"stops", "Check when the key stops working.",
				"A day has begun since this page was opened, so these are later now. Choose again."}
		}
		at := midnight.AddDate(0, 0, days)
		return &at, formError{}
	}
	return nil, formError{"stops", "Choose when the key stops working.", "Choose when the key stops working."}
}

// dayOf returns the instant of a day, at 00:00 UTC or at the time.
func dayOf(day, clock string, now time.Time) (*time.Time, formError) {
	at, ok := input.Day(day)
	if day == "" {
		return nil, formError{"day", "Choose a day.", "Choose a day."}
	}
	if !ok {
		return nil, formError{"day", "Choose a day that exists.", "This is no day from 2000 to 2199. Write it as 2026-12-31."}
	}
	layout := "2 January 2006"
	if clock != "" {
		t, err := time.Parse("15:04", clock)
		if err != nil || len(clock) != len("15:04") {
			return nil, formError{"time", "Choose a time that exists.", "This is no time. Write it as 09:30, from 00:00 to 23:59, or leave it out."}
		}
		at = at.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
		layout += ", 15:04 UTC"
	}
	switch today := now.UTC().Truncate(oneDay); {
	case at.After(now):
		return &at, formError{}
	case clock == "" && at.Equal(today):
		return nil, formError{"day", "Choose a day after today.",
			fmt.Sprintf("%s has begun. Choose a day after today, or give a time.", at.Format(layout))}
	case clock == "":
		return nil, formError{"day", "Choose a day after today.",
			fmt.Sprintf("%s has passed. Choose a day after today.", at.Format(layout))}
	}
	return nil, formError{"time", "Choose a later time.", fmt.Sprintf("%s has passed. Choose a later time or day.", at.Format(layout))}
}
