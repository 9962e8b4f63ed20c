package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
)

// formCookie ties a form to a browser that nobody has signed in with: the sign-in itself must not be forged either.
const formCookie = "__Host-dg-form"

var (
	errForged = apperr.New(apperr.AccessDenied, "This form came from another site, so nothing was changed. Open the page here and send it again.")
	errStale  = apperr.New(apperr.AccessDenied, "This page is older than your sign-in, so nothing was changed. Load it again, then send it once more.")
)

// guardForms refuses what another site made a browser send: by what the browser says of the sender (Sec-Fetch-Site, and
// Origin where it is older), and by a token that only a page of this site holds. For downloads see downloads.go.
func (s *Site) guardForms(c *fiber.Ctx) error {
	if m := c.Method(); m == fiber.MethodGet || m == fiber.MethodHead || m == fiber.MethodOptions {
		if downloadElsewhere(c) {
			return errDownloadElsewhere
		}
		return c.Next()
	}
	if !sentFromHere(c) {
		return errForged
	}
	if !validFormToken(formSecret(c), posted(c, "csrf")) {
		return errStale
	}
	return c.Next()
}

// posted is a field of the form that was sent: of its body alone. Addresses end in histories and logs, and in links of others.
func posted(c *fiber.Ctx, name string) string { return string(c.Context().PostArgs().Peek(name)) }

func sentFromHere(c *fiber.Ctx) bool {
	switch c.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
	default:
		return false
	}
	origin := c.Get(fiber.HeaderOrigin)
	if origin == "" {
		return true // no browser that sends neither is left; the token decides
	}
	return fromThisHost(c, origin)
}

// formSecret is what this browser's form tokens are made from: the cookie of its session, or else of its forms.
func formSecret(c *fiber.Ctx) string {
	if token := c.Cookies(sessionCookie); token != "" {
		return token
	}
	return c.Cookies(formCookie)
}

// ensureFormSecret returns formSecret, after giving a browser that has none a cookie.
func ensureFormSecret(c *fiber.Ctx) string {
	if secret := formSecret(c); secret != "" {
		return secret
	}
	secret := rand.Text()
	c.Cookie(hostCookie(formCookie, secret))
	return secret
}

// hostCookie is a cookie that ends with the browser's session.
func hostCookie(name, value string) *fiber.Cookie {
	return &fiber.Cookie{
		Name: name, Value: value, Path: "/", Secure: true, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, SessionOnly: true,
	}
}

const macSize = sha256.Size

// newFormToken returns a token for one page. It is masked anew each time, so that nothing can be learnt of it from the
// sizes of compressed pages (BREACH).
func newFormToken(secret string) string {
	token := make([]byte, 2*macSize)
	_, _ = rand.Read(token[:macSize]) // never fails
	subtle.XORBytes(token[macSize:], token[:macSize], formMAC(secret))
	return base64.RawURLEncoding.EncodeToString(token)
}

func validFormToken(secret, token string) bool {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != 2*macSize || secret == "" {
		return false
	}
	subtle.XORBytes(b[macSize:], b[:macSize], b[macSize:])
	return hmac.Equal(b[macSize:], formMAC(secret))
}

func formMAC(secret string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("dg form"))
	return mac.Sum(nil)
}
