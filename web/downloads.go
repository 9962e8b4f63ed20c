package web

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
	"dg/web/ui"
)

// Downloads are GET requests that start an export and an audit entry in the person's name, so they
// start from a page of this site only: a link from elsewhere is refused, and a sign-in continues to
// the screen instead of the file.

var errCrossSiteDownload = apperr.New(apperr.AccessDenied,
	"Downloads start from a page of this site. This link came from somewhere else, so nothing was downloaded.")

// downloadScreen returns the address of the screen that offers the requested download, or "" if the
// request is for another path.
func downloadScreen(c *fiber.Ctx) string {
	path := strings.TrimSuffix(strings.TrimSuffix(c.Path(), "/plays.csv"), ".csv")
	if path == c.Path() {
		return ""
	}
	if query := c.Context().URI().QueryString(); len(query) > 0 {
		path += "?" + string(query)
	}
	return ui.LocalPath(path)
}

// isCrossSiteDownload reports whether a download was requested from elsewhere than a page of this
// site. Browsers without Sec-Fetch-Site name the page in Referer, which our Referrer-Policy keeps
// within the site.
func isCrossSiteDownload(c *fiber.Ctx) bool {
	if downloadScreen(c) == "" {
		return false
	}
	if site := c.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin"
	}
	u, err := url.Parse(c.Get(fiber.HeaderReferer))
	return err != nil || u.Host != string(c.Request().Header.Host())
}
