package web

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
	"dg/web/ui"
)

var (
	errCrossOrigin = apperr.New(apperr.AccessDenied,
		"This form was sent from another site, so nothing was changed. Open the page here and send it again.")
	errNoOrigin = apperr.New(apperr.AccessDenied,
		"Your browser did not say which site this form came from, so nothing was changed. "+
			"Use a current browser, without extensions that remove headers.")
	errCrossSiteDownload = apperr.New(apperr.AccessDenied,
		"Downloads start from a page of this site. This link came from somewhere else, so nothing was downloaded.")
)

// rejectCrossOrigin refuses forms and downloads that another site made the browser send. For forms
// it is the standard library's rule on Sec-Fetch-Site and Origin, but a form with neither header is
// refused: every current browser sends one.
func rejectCrossOrigin(c *fiber.Ctx) error {
	site := c.Get("Sec-Fetch-Site")
	origin := c.Get(fiber.HeaderOrigin)
	request := &http.Request{
		Method: c.Method(),
		Host:   string(c.Request().Header.Host()),
		Header: http.Header{"Sec-Fetch-Site": {site}, "Origin": {origin}},
	}
	switch {
	case isCrossSiteDownload(c):
		return errCrossSiteDownload
	case c.Method() == fiber.MethodPost && site == "" && origin == "":
		return errNoOrigin
	case http.NewCrossOriginProtection().Check(request) != nil:
		return errCrossOrigin
	}
	return c.Next()
}

// isCrossSiteDownload reports whether a download was requested from elsewhere than a page of this
// site. Downloads are GET requests that start an export and an audit entry in the person's name, so
// a link in a mail is refused too.
func isCrossSiteDownload(c *fiber.Ctx) bool {
	return downloadScreen(c) != "" && c.Get("Sec-Fetch-Site") != "same-origin"
}

// downloadScreen returns the address of the screen that offers the requested download, or "" if the
// request is for another path. A sign-in continues there.
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
