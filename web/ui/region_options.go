package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// RegionOptions are the locales to choose from, by name, each with an example.
func RegionOptions() []Option {
	all := make([]Option, len(Locales))
	for i, l := range Locales {
		all[i] = Option{
			l.Tag,
			fmt.Sprintf("%s: %s, %s", l.Name, l.Points(12345),
				l.Day(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))),
		}
	}
	slices.SortFunc(all, func(a, b Option) int { return strings.Compare(a.Text, b.Text) })
	return append([]Option{{"", "From your browser"}}, all...)
}
