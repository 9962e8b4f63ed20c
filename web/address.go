package web

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// settingsPath is the first settings screen.
const settingsPath = "/settings/api-keys"

// organisationPath is the prefix of an organisation's screens. A slug is any text, so it is escaped.
func organisationPath(slug string) string { return "/o/" + url.PathEscape(slug) }

// localPath returns next if it is a path of this site, otherwise "/". It refuses what a browser could read as another host
// ("//", "/\", also after decoding); url.Parse refuses control characters.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, `/\`) {
		return "/"
	}
	return next
}

// nextOf is where to continue after the sign-in.
func nextOf(c *fiber.Ctx) string { return localPath(c.Query("next")) }

// withNext adds the path to continue to after the sign-in.
func withNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return withParam(path, "next", next)
}

// withParam adds a parameter to a path.
func withParam(path, name, value string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + url.Values{name: {value}}.Encode()
}
