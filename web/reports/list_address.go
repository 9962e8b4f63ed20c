package reports

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// listAddress makes the addresses of lists. They keep the fixed parameters (a report's period and
// group) and the reader's choices.
type listAddress struct {
	self   string
	fixed  []param
	chosen url.Values
}

// param is a parameter of an address, or a hidden field that becomes one.
type param struct{ Name, Value string }

// listParams are the choices that lists have in the address, but for the page.
var listParams = []string{"q", "archived", "sort", "dir", "player", "skills", "compare"}

// maxListParam bounds each of them, in bytes.
const maxListParam = 400

func newListAddress(c *fiber.Ctx, self string, fixed ...param) listAddress {
	a := listAddress{self, fixed, url.Values{}}
	for _, name := range listParams {
		if value := enteredText(c.Query(name)); value != "" {
			a.chosen.Set(name, value)
		}
	}
	return a
}

// enteredText returns the kept part of an entered text.
func enteredText(text string) string {
	return strings.TrimSpace(strings.ToValidUTF8(text[:min(len(text), maxListParam)], "\uFFFD"))
}

// path is the address with other choices, given as names and values; an empty value takes one away.
func (a listAddress) path(fragment string, changes ...string) string {
	query := url.Values{}
	for _, p := range append(slices.Clone(a.fixed), a.with(changes...)...) {
		query.Set(p.Name, p.Value)
	}
	if len(query) == 0 {
		return a.self + fragment
	}
	return a.self + "?" + query.Encode() + fragment
}

// kept are all parameters but some, for the hidden fields of a form.
func (a listAddress) kept(but ...string) []param {
	return slices.DeleteFunc(append(slices.Clone(a.fixed), a.with()...), func(p param) bool {
		return slices.Contains(but, p.Name)
	})
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
