package ui

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/org"
)

// SettingsPath is the first settings screen.
const SettingsPath = "/settings/api-keys"

// OrganisationPath returns the prefix of an organisation's screens. A slug is any text, so it is
// escaped.
func OrganisationPath(slug string) string { return "/o/" + url.PathEscape(slug) }

// FirstScreen returns the path of a screen of the organisation, or of the account, the only screen
// of members.
func FirstScreen(m org.Membership, screen string) string {
	if m.Role == org.RoleMember {
		return "/account"
	}
	return OrganisationPath(m.Organisation.Slug) + screen
}

// LocalPath returns next if it is a path of this site, otherwise "/": an open redirect would help
// phishing. Browsers read "//" and "/\" as another host, also after decoding; url.Parse rejects
// control characters.
func LocalPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, `/\`) {
		return "/"
	}
	return next
}

// NextOf returns the path to continue to after the sign-in.
func NextOf(c *fiber.Ctx) string { return LocalPath(c.Query("next")) }

// WithNext adds next, the path to continue to after the sign-in.
func WithNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return WithParam(path, "next", next)
}

// WithParam adds a query parameter to a path.
func WithParam(path, name, value string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + url.Values{name: {value}}.Encode()
}
