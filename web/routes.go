package web

import (
	"slices"

	"github.com/gofiber/fiber/v2"
)

// routes adds screens below a path. Each route brings the middleware of the screens along: middleware of a group would
// also run for requests that no route has answered, those inside /api/v1/ included. It offers no other methods than those
// that the middleware is made for.
type routes struct {
	router fiber.Router
	before []fiber.Handler
}

// Get adds a screen.
func (r routes) Get(path string, handle fiber.Handler) { r.router.Get(path, r.with(handle)...) }

// Post adds what a form is sent to.
func (r routes) Post(path string, handle fiber.Handler) { r.router.Post(path, r.with(handle)...) }

// Group returns the routes below a path.
func (r routes) Group(path string) routes { return routes{r.router.Group(path), r.before} }

func (r routes) with(handle fiber.Handler) []fiber.Handler {
	return append(slices.Clone(r.before), handle)
}
