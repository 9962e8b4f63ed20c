package keys

import (
	"fmt"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/input"
	"dg/web/ui"
)

// expiryForm is when a key expires, as it was filled in.
type expiryForm struct {
	Today     string // the day from which the choices count
	Expiry    string // "30", "90", "365", "day" or "never"
	Day, Time string
}

func parseExpiryForm(c *fiber.Ctx) expiryForm {
	return expiryForm{
		Today:  ui.FormValue(c, "today"),
		Expiry: ui.FormValue(c, "expiry"),
		Day:    ui.FormValue(c, "day"),
		Time:   ui.FormValue(c, "time"),
	}
}

// sameLife is the form for a replacement that lives as long as the key did, from today. A day that
// has begun counts as one.
func sameLife(k apikeys.Key, today time.Time) expiryForm {
	if k.ExpiresAt == nil {
		return expiryForm{Expiry: "never"}
	}
	days := int((k.ExpiresAt.Sub(k.CreatedAt) + ui.OneDay - 1) / ui.OneDay)
	for _, choice := range expiryChoices(today) {
		if choice.Days == strconv.Itoa(days) {
			return expiryForm{Expiry: choice.Days}
		}
	}
	return expiryForm{Expiry: "day", Day: today.AddDate(0, 0, days).Format(time.DateOnly)}
}

// expiryChoice is an expiry in a number of days, and its time.
type expiryChoice struct {
	Days string
	At   time.Time
}

// expiryChoices are the expiries to choose from. They count from 00:00 UTC of today.
func expiryChoices(today time.Time) []expiryChoice {
	var all []expiryChoice
	for _, days := range []int{30, 90, 365} {
		all = append(all, expiryChoice{strconv.Itoa(days), today.AddDate(0, 0, days)})
	}
	return all
}

// expiresAt returns the time that was chosen, nil for never. A date or a time with another choice
// than "day" is an error: it is unknown which one was meant. So is a form of another day than
// today, whose choices were other times.
func (f expiryForm) expiresAt(l ui.Locale, now time.Time) (*time.Time, ui.FormError) {
	if f.Expiry == "day" {
		return expiryDate(l, f.Day, f.Time, now)
	}
	if f.Day != "" || f.Time != "" {
		return nil, ui.FormError{
			Field: "day",
			Message: "You entered a date or a time, but “On a date” is not selected. " +
				"Select it, or clear both fields.",
		}
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
			return nil, ui.FormError{
				Field:   "expiry",
				Message: "A new day has begun since you opened this page, so these dates have changed. Choose again.",
			}
		}
		return &choice.At, ui.FormError{}
	}
	return nil, ui.FormError{Field: "expiry", Message: "Choose when the key expires."}
}

// expiryDate returns the time of a date: 00:00 UTC, or the time of day.
func expiryDate(l ui.Locale, day, clock string, now time.Time) (*time.Time, ui.FormError) {
	at, ok := input.ParseDay(day)
	if !ok {
		return nil, ui.FormError{
			Field:   "day",
			Message: "Enter a date from 2000 to 2199, such as 2026-12-31.",
		}
	}
	if clock == "" {
		switch today := now.UTC().Truncate(ui.OneDay); {
		case at.After(today):
			return &at, ui.FormError{}
		case at.Equal(today):
			return nil, ui.FormError{
				Field:   "day",
				Message: fmt.Sprintf("%s has already begun. Choose a later date, or add a time.", l.Day(at)),
			}
		}
		return nil, ui.FormError{
			Field:   "day",
			Message: fmt.Sprintf("%s is in the past. Choose a later date.", l.Day(at)),
		}
	}
	t, err := time.Parse("15:04", clock)
	if err != nil || len(clock) != len("15:04") {
		return nil, ui.FormError{
			Field:   "time",
			Message: "Enter a time from 00:00 to 23:59, such as 09:30, or leave it empty.",
		}
	}
	at = at.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
	if !at.After(now) {
		return nil, ui.FormError{
			Field: "time",
			Message: fmt.Sprintf("%s, %s is in the past. Choose a later time or date.",
				l.Day(at), l.Clock(at)),
		}
	}
	return &at, ui.FormError{}
}
