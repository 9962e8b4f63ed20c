package web

import (
	"html/template"
	"regexp"

	"github.com/gofiber/fiber/v2"
)

// securityView is the page that says what the service protects, how far, and which tests prove it.
type securityView struct {
	layout
	Parts []securityPart
}

// securityPart is a part of the page: a table of promises.
type securityPart struct {
	ID, Name string
	Promises []promise
}

// promise is something that the service protects. A test in package app looks for each of Tests.
type promise struct {
	Name, Promise, Limit string
	Tests                []string
}

// security answers GET /docs/security.
func (h *Handler) security(c *fiber.Ctx, p *principal) error {
	return h.render(c, fiber.StatusOK, "security", &securityView{layout: newLayout(p, "Security", areaDocs), Parts: securityParts})
}

var hump = regexp.MustCompile(`([a-z])([A-Z])`)

// TestNames are the names of the tests, which may be broken between words.
func (p promise) TestNames() []template.HTML {
	names := make([]template.HTML, len(p.Tests))
	for i, name := range p.Tests {
		names[i] = template.HTML(hump.ReplaceAllString(name, "$1<wbr>$2")) //nolint:gosec // a name in this package
	}
	return names
}
