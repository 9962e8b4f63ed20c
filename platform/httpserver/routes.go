package httpserver

import (
	"errors"

	"github.com/gofiber/fiber/v2"
)

// dispatch is the first middleware. It gives handlers their context, turns the errors they return
// into the response and records which route responded.
func (s *Server) dispatch(c *fiber.Ctx) error {
	c.SetUserContext(recordOf(c.Context()).ctx)
	err := c.Next()
	recordOf(c.Context()).route = s.routeLabel(c, err)
	if err == nil {
		return nil
	}
	return WriteError(c, err)
}

// routeLabel names the route that responded: its template, a middleware's prefix with a star, or
// unmatched. Callers cannot grow the set of labels.
func (s *Server) routeLabel(c *fiber.Ctx, err error) string {
	if isRouterError(err) {
		return unmatched
	}
	path := c.Route().Path
	switch {
	case s.templates()[path]:
		return path
	case path == "/" || path == "":
		return unmatched
	default:
		return path + "*"
	}
}

// isRouterError reports whether err is the router's: no route with that path, or none with that
// method.
func isRouterError(err error) bool {
	e, ok := errors.AsType[*fiber.Error](err)
	return ok && (e.Code == fiber.StatusNotFound || e.Code == fiber.StatusMethodNotAllowed)
}

// routeTemplates lists the routes that are not middleware.
func (s *Server) routeTemplates() map[string]bool {
	m := map[string]bool{}
	for _, r := range s.app.GetRoutes(true) {
		m[r.Path] = true
	}
	return m
}
