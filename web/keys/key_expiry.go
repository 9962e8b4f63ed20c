package keys

import (
	"fmt"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"dg/modules/apikeys"
	"dg/platform/input"
	"dg/web/ui"
)

// secretForm is what the forms that make a secret have in common, as it was filled in.
type secretForm struct {
	IdempotencyKey string // makes one key of the form, however often it is sent
	Today          string // the day from which the choices count
	Expiry         string // "30", "90", "365", "day" or "never"
	Day, Time      string
}

func newSecretForm(expiry string) secretForm {
	return secretForm{IdempotencyKey: uuid.NewString(), Expiry: expiry}
}

// parseSecretForm reads the form.
func parseSecretForm(c *fiber.Ctx) secretForm {
	return secretForm{
		IdempotencyKey: ui.FormValue(c, "idempotencyKey"),
		Today:          ui.FormValue(c, "today"),
		Expiry:         ui.FormValue(c, "expiry"),
		Day:            ui.FormValue(c, "day"),
		Time:           ui.FormValue(c, "time"),
	}
}

// shown returns the form for showing it again, with a valid idempotency key.
func (f secretForm) shown() secretForm {
	if !input.IsID(f.IdempotencyKey) {
		f.IdempotencyKey = uuid.NewString()
	}
	return f
}

// check returns the chosen expiry, nil for never, and the errors of the form.
func (f secretForm) check(now time.Time) (*time.Time, []ui.FormError) {
	var invalid []ui.FormError
	at, e := f.expiresAt(now)
	if e.Message != "" {
		invalid = append(invalid, e)
	}
	if !input.IsID(f.IdempotencyKey) {
		const incomplete = "The form was incomplete. Check it and send it again."
		invalid = append(invalid, ui.FormError{Field: "main", Message: incomplete})
	}
	return at, invalid
}

// sameLife returns the form of a replacement with the key's length of life in days, rounded up.
func sameLife(k apikeys.Key, today time.Time) secretForm {
	if k.ExpiresAt == nil {
		return newSecretForm("never")
	}
	days := int(daysOf(k.ExpiresAt.Sub(k.CreatedAt)))
	for _, choice := range expiryChoices(today) {
		if choice.Days == strconv.Itoa(days) {
			return newSecretForm(choice.Days)
		}
	}
	form := newSecretForm("day")
	form.Day = today.AddDate(0, 0, days).Format(time.DateOnly)
	return form
}

// expiryChoice is an expiry in a number of days, and its time.
type expiryChoice struct {
	Days string
	At   time.Time
}

// expiryChoices returns the expiries to choose from, counted from 00:00 UTC of today.
func expiryChoices(today time.Time) []expiryChoice {
	var all []expiryChoice
	for _, days := range []int{30, 90, 365} {
		all = append(all, expiryChoice{strconv.Itoa(days), today.AddDate(0, 0, days)})
	}
	return all
}

// expiresAt returns the chosen time, nil for never. A date or time beside another choice than "day"
// is ambiguous, and the choices of a form from another day were other times: both are errors.
func (f secretForm) expiresAt(now time.Time) (*time.Time, ui.FormError) {
	if f.Expiry == "day" {
		return expiryDate(f.Day, f.Time, now)
	}
	if f.Day != "" || f.Time != "" {
		return noExpiry("day", "You entered a date or a time, but “On a date” is not selected. "+
			"Select it, or clear both fields.")
	}
	if f.Expiry == "never" {
		return nil, ui.FormError{}
	}
	today := now.UTC().Truncate(ui.OneDay)
	for _, choice := range expiryChoices(today) {
		if f.Expiry != choice.Days {
			continue
		}
		if f.Today != "" && f.Today != today.Format(time.DateOnly) {
			return noExpiry("expiry", "A new day has begun since you opened this page, "+
				"so these dates have changed. Choose again.")
		}
		return &choice.At, ui.FormError{}
	}
	return noExpiry("expiry", "Choose when the key expires.")
}

func noExpiry(field, message string) (*time.Time, ui.FormError) {
	return nil, ui.FormError{Field: field, Message: message}
}

// expiryDate returns the UTC time of a date, at 00:00 without a time of day.
func expiryDate(day, clock string, now time.Time) (*time.Time, ui.FormError) {
	at, ok := input.ParseDay(day)
	if !ok {
		return noExpiry("day", "Enter a date from 2000 to 2199, such as 2026-12-31.")
	}
	if clock == "" {
		switch today := now.UTC().Truncate(ui.OneDay); {
		case at.After(today):
			return &at, ui.FormError{}
		case at.Equal(today):
			return noExpiry("day",
				fmt.Sprintf("%s has already begun. Choose a later date, or add a time.", ui.Day(at)))
		}
		return noExpiry("day", fmt.Sprintf("%s is in the past. Choose a later date.", ui.Day(at)))
	}
	t, err := time.Parse("15:04", clock)
	if err != nil || len(clock) != len("15:04") {
		return noExpiry("time", "Enter a time from 00:00 to 23:59, such as 09:30, or leave it empty.")
	}
	at = at.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
	if !at.After(now) {
		return noExpiry("time", fmt.Sprintf("%s, %s is in the past. Choose a later time or date.",
			ui.Day(at), ui.Clock(at)))
	}
	return &at, ui.FormError{}
}
