package httpserver

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Query returns all values of the known parameters of the query, and the names of the others.
func Query(c *fiber.Ctx, known ...string) (values url.Values, unknown []string) {
	values = url.Values{}
	for key, value := range c.Context().QueryArgs().All() {
		if name := string(key); slices.Contains(known, name) {
			values.Add(name, string(value))
		} else {
			unknown = append(unknown, name)
		}
	}
	// a lone "=" is a parameter too, but fasthttp drops it
	if slices.Contains(strings.Split(string(c.Request().URI().QueryString()), "&"), "=") {
		unknown = append(unknown, "")
	}
	return values, unknown
}
