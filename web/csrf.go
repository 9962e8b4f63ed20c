package web

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
)

var (
	errCrossOrigin = apperr.New(apperr.AccessDenied, "This form was sent from another site, so nothing was changed. Open the page here and send it again.")
	errNoOrigin    = apperr.New(apperr.AccessDenied,
		"Your browser did not say which site this form came from, so nothing was changed. Use a current browser, without extensions that remove headers.")
)

// rejectCrossOrigin refuses requests that another site made a browser send: forms by the standard library's rule, which reads
// Sec-Fetch-Site and Origin, and downloads by that of downloads.go. Every current browser sends one of the two headers with a
// form. A form without either is refused as well, though the library lets it pass.
func rejectCrossOrigin(c *fiber.Ctx) error {
	if m := c.Method(); m == fiber.MethodGet || m == fiber.MethodHead || m == fiber.MethodOptions {
		if isCrossSiteDownload(c) {
			return errCrossSiteDownload
		}
		return c.Next()
	}
	header := http.Header{}
	for _, name := range []string{"Sec-Fetch-Site", fiber.HeaderOrigin} {
		if value := c.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	if len(header) == 0 {
		return errNoOrigin
	}
	request := &http.Request{Method: c.Method(), Host: string(c.Request().Header.Host()), Header: header}
	if http.NewCrossOriginProtection().Check(request) != nil {
		return errCrossOrigin
	}
	return c.Next()
}

// formValue is a field of the form that was sent: of its body alone. Addresses end in histories and logs, and in links of others.
func formValue(c *fiber.Ctx, name string) string { return string(c.Context().PostArgs().Peek(name)) }

// hostCookie is a cookie that ends with the browser's session.
func hostCookie(name, value string) *fiber.Cookie {
	return &fiber.Cookie{
		Name: name, Value: value, Path: "/", Secure: true, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, SessionOnly: true,
	}
}
