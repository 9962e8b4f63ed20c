package account_test

import (
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// Everybody has this page, members too; it is all that members have.
func TestAccountShowsThePersonAndSecurity(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	w.Rename(&acme.Member, `<b>Ilya</b> "Petrov"`)
	b := w.SignedIn(t, acme.Member)
	p := b.Get("/account").Is(t, 200)
	require.Equal(t, "no-store", p.Header.Get("Cache-Control"))
	p.Has(t, "<bdi>&lt;b&gt;Ilya&lt;/b&gt;", acme.Member.Email, "Set up two-step verification")
	p.Lacks(t, "Reports</a>")
	require.Equal(t, []string{": Only owners and admins can open reports and settings. " +
		"To get access, ask an owner to change your role."}, p.Notes(t))
	p.Has(t, "<title>Account – ")
	require.NotContains(t, p.Body, `class="sidebar`, "the page has its sections itself")
	require.Empty(t, w.SignedIn(t, acme.AdminPlain).Get("/account").Notes(t))
	w.SignedIn(t, acme.Admin).Get("/account").Has(t, `<span class="state on">On`)
	for _, path := range []string{
		"/account", "/account/password", "/account/two-step", "/account/recovery-codes",
	} {
		webtest.RequireRedirect(t, "/sign-in?next="+url.QueryEscape(path), w.Browser(t).Get(path))
		require.Equal(t, "no-store", b.Get(path).Header.Get("Cache-Control"))
	}
}

// To end the current session is to sign out.
func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	phone, err := w.People.SignIns.SignIn(t.Context(), acme.Owner.Email, fixtures.Password, identity.Client{
		Address:   "198.51.100.7",
		UserAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1",
	})
	require.NoError(t, err)
	p := b.Get("/account")
	p.Has(t, "Safari on iPhone", "198.51.100.7", "Unknown browser <small>This session</small>")
	other := webtest.RegexpFind(t, `(?s)Safari on iPhone.*?name="session" value="([0-9a-f]{64})"`,
		p.Body)
	p.Lacks(t, phone.Token)
	webtest.RequireRedirect(t, "/account", b.Post("/account", url.Values{"session": {other}}))
	_, err = w.People.Sessions.Session(t.Context(), phone.Token)
	require.ErrorIs(t, err, identity.ErrNoSession)
	webtest.RequireRedirect(t, "/account",
		b.Post("/account", url.Values{"session": {hex.EncodeToString(make([]byte, 32))}}))
	own := webtest.RegexpFind(t, `name="session" value="([0-9a-f]{64})"`, b.Get("/account").Body)
	webtest.RequireRedirect(t, "/sign-in", b.Post("/account", url.Values{"session": {own}}))
	require.NotContains(t, b.Cookies, "__Host-dg")
}

func TestPasswordIsChanged(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	other := w.SignedIn(t, acme.Owner)
	const replacement = "battery horse staple"
	for want, form := range map[string]url.Values{
		"The password is wrong": {
			"current": {"wrong horse battery"}, "new": {replacement}, "repeat": {replacement},
		},
		"Use at least 12 characters": {
			"current": {fixtures.Password}, "new": {"short"}, "repeat": {"short"},
		},
		"The passwords do not match": {
			"current": {fixtures.Password}, "new": {replacement}, "repeat": {replacement + "r"},
		},
	} {
		p := b.Post("/account/password", form).Is(t, 422)
		p.Has(t, want, "<title>Error: Change password")
		p.Lacks(t, fixtures.Password, replacement)
	}
	before := b.Cookies["__Host-dg"]
	webtest.RequireRedirect(t, "/account",
		b.Post("/account/password", url.Values{
			"current": {fixtures.Password}, "new": {replacement}, "repeat": {replacement},
		}))
	require.NotEqual(t, before, b.Cookies["__Host-dg"])
	b.Get("/account").Has(t, "Password changed.")
	require.NotContains(t, b.Get("/account").Body, "Password changed.", "it is said once")
	webtest.RequireRedirect(t, "/sign-in", other.Get("/"))
	webtest.RequireRedirect(t, "/",
		w.Browser(t).
			Post("/sign-in", url.Values{"email": {acme.Owner.Email}, "password": {replacement}}))

	for range 10 {
		b.Post("/account/password", url.Values{
			"current": {"wrong horse battery"}, "new": {replacement}, "repeat": {replacement},
		})
	}
	b.Post("/account/password", url.Values{
		"current": {replacement}, "new": {replacement}, "repeat": {replacement},
	}).Is(t, 429).Has(t, "Too many failed attempts.")
}

// Enrolment with QR code and typed secret, confirmed by a code and the password; the recovery codes
// that it answers with; and the way back.
func TestTwoStepIsTurnedOnAndOff(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	b := w.SignedIn(t, acme.AdminPlain)
	other := w.SignedIn(t, acme.AdminPlain)
	p := b.Get("/account/two-step")
	require.Contains(t, p.Body, `<path d="M0 0h7v1h-7z`, "a finder pattern stands in the corner")
	secret := strings.ReplaceAll(
		webtest.RegexpFind(t, `<code id="totp">([A-Z2-7 ]+)</code>`, p.Body), " ", "",
	)
	require.Len(t, secret, 32)
	require.Contains(t, b.Get("/account/two-step").Body, secret[:4]+" "+secret[4:8],
		"the same when it is loaded again")
	webtest.RequireRedirect(t, "/account/two-step", b.Get("/account/recovery-codes"))

	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	for want, form := range map[string]url.Values{
		"The code is wrong": {
			"do": {"on"}, "code": {"abcdef"}, "current": {fixtures.Password},
		},
		"The password is wrong.": {
			"do": {"on"}, "code": {code}, "current": {"wrong horse battery"},
		},
	} {
		wrong := b.Post("/account/two-step", form).Is(t, 422)
		wrong.Has(t, want, secret[:4]+" "+secret[4:8])
		wrong.Lacks(t, "wrong horse")
	}
	form := url.Values{
		"do": {"on"}, "code": {code[:3] + " " + code[3:]}, "current": {fixtures.Password},
	}
	p = b.Post("/account/two-step", form).Is(t, 200)
	require.Equal(t, "no-store", p.Header.Get("Cache-Control"))
	codes := regexp.MustCompile(`<li>([0-9a-z-]{19})</li>`).FindAllStringSubmatch(p.Body, -1)
	require.Len(t, codes, 10)
	// sent again, it shows no codes
	webtest.RequireRedirect(t, "/account/two-step", b.Post("/account/two-step", form))
	account := b.Get("/account").Body
	require.Contains(t, account, `<span class="state on">On since <time`)
	require.Contains(t, account,
		"<strong>Two-step verification is on.</strong> Your other sessions have ended.")
	require.Contains(t, account, "10 of 10 recovery codes left.")
	require.NotContains(t, account, codes[0][1])
	webtest.RequireRedirect(t, "/sign-in", other.Get("/"))
	again := w.Browser(t)
	webtest.RequireRedirect(t, "/sign-in/code",
		again.Post("/sign-in", webtest.Credentials(acme.AdminPlain)))
	webtest.RequireRedirect(t, "/",
		again.Post("/sign-in/code", url.Values{"code": {w.CodeNow(t, secret)}}))

	off := b.Get("/account/two-step")
	off.Has(t, "Turn off two-step verification")
	off.Lacks(t, secret[:4]+" ")
	// is on already
	webtest.RequireRedirect(t, "/account/two-step",
		b.Post("/account/two-step", url.Values{
			"do": {"on"}, "code": {code}, "current": {fixtures.Password},
		}))
	for _, form := range []url.Values{
		{"do": {"off"}, "code": {"abcdef"}, "current": {fixtures.Password}}, {
			"do": {"off"}, "code": {w.CodeNow(t, secret)},
		},
	} {
		b.Post("/account/two-step", form).Is(t, 422)
	}
	webtest.RequireRedirect(t, "/account",
		b.Post("/account/two-step", url.Values{
			"do": {"off"}, "code": {codes[0][1]}, "current": {fixtures.Password},
		}))
	b.Get("/account").Has(t, "Two-step verification is off.")
	webtest.RequireRedirect(t, "/sign-in", again.Get("/"))
	webtest.RequireRedirect(t, "/",
		w.Browser(t).Post("/sign-in", webtest.Credentials(acme.AdminPlain)))
}

// New recovery codes take the password and a code, and void the old ones. Somebody without a phone
// signs in with one.
func TestRecoveryCodesAreReplacedAndUsed(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	b := w.SignedIn(t, acme.Admin)
	b.Get("/account").Has(t, "No recovery codes left")
	for _, form := range []url.Values{
		{"current": {fixtures.Password}}, {"code": {w.CodeNow(t, fixtures.TOTPSecret)}}, {
			"current": {fixtures.Password}, "code": {"000000"},
		},
	} {
		b.Post("/account/recovery-codes", form).Is(t, 422)
	}
	made := func(code string) []string {
		p := b.Post("/account/recovery-codes",
			url.Values{"current": {fixtures.Password}, "code": {code}}).Is(t, 200)
		var codes []string
		for _, found := range regexp.MustCompile(`<li>([0-9a-z-]{19})</li>`).
			FindAllStringSubmatch(p.Body, -1) {
			codes = append(codes, found[1])
		}
		require.Len(t, codes, 10)
		return codes
	}
	old := made(w.CodeNow(t, fixtures.TOTPSecret))
	codes := made(old[0])
	b.Get("/account").Has(t,
		"<strong>Recovery codes replaced.</strong> The old ones no longer work.")

	phoneless := w.Browser(t)
	phoneless.Post("/sign-in?next=%2Faccount", webtest.Credentials(acme.Admin))
	phoneless.Get("/sign-in/code?next=%2Faccount").Has(t,
		`href="/sign-in/code?next=%2Faccount&amp;recovery=1">Use a recovery code</a>`)
	phoneless.Post("/sign-in/code?next=%2Faccount&recovery=1",
		url.Values{"code": {old[1]}}).Is(t, 401).Has(t,
		"Check it, or enter another one")
	webtest.RequireRedirect(t, "/account",
		phoneless.Post("/sign-in/code?next=%2Faccount&recovery=1",
			url.Values{"code": {strings.ToUpper(codes[1])}}))
	after := phoneless.Get("/account").Body
	require.Contains(t, after, "<strong>9 recovery codes left.</strong> Create new ones in your account.")
	require.Contains(t, after, "9 of 10 recovery codes left.")
}

// An e-mail that no QR code could hold leaves the typed secret.
func TestLongSecretIsShownWithoutQRCode(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	w.DB.Exec(`update users set email = repeat('é', 1000) where id = $1`, acme.Owner.ID)
	p := w.SignedIn(t, acme.Owner).Get("/account/two-step").Is(t, 200)
	p.Lacks(t, `class="qr"`)
	p.Has(t, "Enter this secret in the app:")
}
