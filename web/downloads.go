package web

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
)

// Downloads are GET, and yet each starts an export and an entry in the reader's name. So they start on their screen only:
// a link on another site, in a mail or typed by hand leads nowhere, and the sign-in leads to the screen.

var errCrossSiteDownload = apperr.New(apperr.AccessDenied, "Downloads start on their screen here. This link came from elsewhere, so nothing was downloaded.")

// screenOf is the address of the screen that offers the download at the request's address; "" where that is no download.
func screenOf(c *fiber.Ctx) string {
	path := strings.TrimSuffix(strings.TrimSuffix(c.Path(), "/plays.csv"), ".csv")
	if path == c.Path() {
		return ""
	}
	if query := c.Context().URI().QueryString(); len(query) > 0 {
		path += "?" + string(query)
	}
	return localPath(path)
}

// isCrossSiteDownload reports whether the request is for a download and did not come from a page of this site. Browsers
// that do not say (Sec-Fetch-Site) name the page in Referer, which our policy asks of them within the site.
func isCrossSiteDownload(c *fiber.Ctx) bool {
	if screenOf(c) == "" {
		return false
	}
	if site := c.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin"
	}
	return !fromThisHost(c, c.Get(fiber.HeaderReferer))
}

// fromThisHost reports whether the address is one of the host that was params.
func fromThisHost(c *fiber.Ctx, address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host == string(c.Request().Header.Host())
}
