package web

import (
	"slices"
	"strings"
	"time"
)

// regionOptions are the locales to choose from, by name, each with an example.
func regionOptions() []option {
	all := make([]option, len(locales))
	for i, l := range locales {
		all[i] = option{l.Tag, l.Name + ": " + l.decimal(12345, 10) + ", " + l.Day(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))}
	}
	slices.SortFunc(all, func(a, b option) int { return strings.Compare(a.Text, b.Text) })
	return append([]option{{"", "Automatic (from your browser)"}}, all...)
}
