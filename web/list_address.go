package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/reports"
)

// listAddress makes the addresses of the lists below a report: each keeps the period, the group, and what the reader chose.
type listAddress struct {
	self   string
	period reports.Period
	group  string
	chosen url.Values
}

// listParams are the choices that the lists have in the address, but for the page.
var listParams = []string{"sort", "dir", "player", "skills"}

// maxListParam bounds each of them, in bytes.
const maxListParam = 400

func readListParams(c *fiber.Ctx) url.Values {
	chosen := url.Values{}
	for _, name := range listParams {
		if value := strings.TrimSpace(strings.ToValidUTF8(c.Query(name), "\uFFFD")); value != "" {
			chosen.Set(name, value[:min(len(value), maxListParam)])
		}
	}
	return chosen
}

// path is the address with other choices, given as names and values; an empty value takes one away.
func (a listAddress) path(fragment string, changes ...string) string {
	var all []string
	for _, p := range a.with(changes...) {
		all = append(all, p.Name, p.Value)
	}
	return reportPath(a.self, a.period, a.group, all...) + fragment
}

// param is a parameter of an address, or a hidden field that becomes one.
type param struct{ Name, Value string }

// kept are all parameters but some, for the hidden fields of a form.
func (a listAddress) kept(but ...string) []param {
	all := []param{{"from", a.period.Day(0)}, {"to", a.period.Day(a.period.Days - 1)}}
	if a.group != "" {
		all = append(all, param{"groupId", a.group})
	}
	return slices.DeleteFunc(append(all, a.with()...), func(p param) bool { return slices.Contains(but, p.Name) })
}

// with are the choices with some changes, and the page.
func (a listAddress) with(changes ...string) (all []param) {
	for _, name := range append(slices.Clone(listParams), "page") {
		value := a.chosen.Get(name)
		for i := 0; i+1 < len(changes); i += 2 {
			if changes[i] == name {
				value = changes[i+1]
			}
		}
		if value != "" {
			all = append(all, param{name, value})
		}
	}
	return all
}
