package ui

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
)

// SettingsPath is the path, below /o/:org, of the settings screen that opens first.
const SettingsPath = "/settings/api-keys"

// organisationPath returns /o/ and the slug, escaped because imports accept any text as a slug.
func organisationPath(slug string) string { return "/o/" + url.PathEscape(slug) }

// FirstScreenPath returns the path of screen, or /account for the role member, which may not open it.
func FirstScreenPath(m org.Membership, screen string) string {
	if m.Role == org.RoleMember {
		return "/account"
	}
	return organisationPath(m.Organisation.Slug) + screen
}

// LocalPath returns next if it is a path of this site, otherwise "/", which prevents open
// redirects. Browsers read "//" and "/\" as the start of another host; escaped forms are refused
// too. url.Parse rejects control characters, such as tabs and line breaks, which browsers drop.
func LocalPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, `/\`) {
		return "/"
	}
	return next
}

// NextOf returns the path in the query parameter next, or "/" if next is missing or not local.
func NextOf(c *fiber.Ctx) string { return LocalPath(c.Query("next")) }

// WithNext adds the parameter that NextOf reads, unless next is "" or "/".
func WithNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return WithParam(path, "next", next)
}

// WithParam adds a query parameter to path, which may have a query.
func WithParam(path, name, value string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + url.Values{name: {value}}.Encode()
}
