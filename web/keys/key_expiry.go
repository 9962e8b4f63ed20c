package keys

import (
	"strconv"
	"time"

	"dg/modules/apikeys"
	"dg/platform/input"
	"dg/web/ui"
)

type expiryChoice struct {
	Days      string // number of days, which is the option's value too
	ExpiresAt time.Time
}

func expiryChoices(today time.Time) []expiryChoice {
	var choices []expiryChoice
	for _, days := range []int{30, 90, 365} {
		choices = append(choices, expiryChoice{strconv.Itoa(days), today.AddDate(0, 0, days)})
	}
	return choices
}

// successorExpiry returns Expiry and Day of k's successor: the lifetime of k in days, rounded up.
func successorExpiry(k apikeys.Key, today time.Time) (expiry, day string) {
	if k.ExpiresAt == nil {
		return "never", ""
	}
	days := int(ui.DaysOf(k.ExpiresAt.Sub(k.CreatedAt)))
	for _, choice := range expiryChoices(today) {
		if choice.Days == strconv.Itoa(days) {
			return choice.Days, ""
		}
	}
	return "day", today.AddDate(0, 0, days).Format(time.DateOnly)
}

// expiresAt returns the chosen expiry, or nil for never. It rejects a day if another choice is
// selected.
func (f keyForm) expiresAt(now time.Time) (*time.Time, ui.FormErrors) {
	if f.Expiry == "day" {
		return f.expiryDate(now)
	}
	if f.Day != "" {
		return nil, ui.FieldError("day", "You entered a date, "+
			"but “On a date” is not selected. Select it, or clear the date.")
	}
	for _, choice := range expiryChoices(now.UTC().Truncate(ui.OneDay)) {
		if f.Expiry == choice.Days {
			return &choice.ExpiresAt, ui.FormErrors{}
		}
	}
	if f.Expiry == "never" {
		return nil, ui.FormErrors{}
	}
	return nil, ui.FieldError("expiry", "Choose when the key expires.")
}

func (f keyForm) expiryDate(now time.Time) (*time.Time, ui.FormErrors) {
	day, ok := input.ParseDay(f.Day)
	if !ok {
		return nil, ui.FieldError("day", "Enter a date from 2000 to 2199, such as 2026-12-31.")
	}
	if !day.After(now) {
		return nil, ui.FieldError("day", ui.Day(day)+" has begun. Choose a later date.")
	}
	return &day, ui.FormErrors{}
}
