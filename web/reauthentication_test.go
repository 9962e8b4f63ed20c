package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// sensitive is a form whose change takes a password that was entered recently.
type sensitive struct {
	path   string
	fields url.Values
	kept   []string // of the fields, in a form that comes back
	done   int      // the status of the change
}

// sensitiveForms are all of them. The admin of the organisation, who has two-step verification, is
// made an owner.
func sensitiveForms(
	t *testing.T, w *webtest.World, acme *webtest.Organisation,
) map[string]sensitive {
	t.Helper()
	w.DB.Exec(`update memberships set role = 'owner' where user_id = $1`, acme.Admin.ID)
	old := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	return map[string]sensitive{
		"a new key": {acme.At("/settings/api-keys/new"), url.Values{
			"name": {"Warehouse"}, "description": {"Ask Bo"}, "scopes": {"reports:read"},
			"expiry": {"day"}, "day": {"2027-01-02"}, "time": {"09:30"},
			"idempotencyKey": {"0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e44"},
		}, []string{
			`value="Warehouse"`, `value="Ask Bo"`, `value="2027-01-02"`, `value="09:30"`,
			`value="reports:read" aria-describedby="sr-h" checked`,
			`id="xday" name="expiry" value="day" aria-describedby="xdayh" checked`,
			`value="0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e44"`,
		}, http.StatusOK},
		"a replacement": {acme.At("/settings/api-keys/%s/replace", old.ID),
			url.Values{"overlap": {"week"}, "expiry": {"90"}, "idempotencyKey": {webtest.NewIdempotencyKey()}},
			[]string{`id="oweek" name="overlap" value="week" aria-describedby="oweekh" checked`},
			http.StatusOK},
		"a mode": {acme.At("/settings/organisation/reporting-mode"), webtest.ToNominative(acme),
			[]string{`value="nominative" checked`, `name="organisation" value="` + acme.Name + `"`},
			http.StatusSeeOther},
	}
}

// with returns the fields and a proof.
func (s sensitive) with(password, code string) url.Values {
	form := maps.Clone(s.fields)
	form.Set("current", password)
	form.Set("code", code)
	return form
}

// age makes every session one whose person entered the password so long ago.
func age(w *webtest.World, since string) {
	w.DB.Exec(`update sessions set authenticated_at = now() - $1::interval`, since)
}

// asks reports whether a page asks for the password and for the code.
func asks(p webtest.Page) [2]bool {
	return [2]bool{
		strings.Contains(p.Body, `name="current"`), strings.Contains(p.Body, `name="code"`),
	}
}

// changes are the keys and the modes that there are.
func changes(w *webtest.World) string {
	return fixtures.One[string](w.DB, `select concat_ws(' ',
		(select string_agg(id || coalesce(revoked_at::text, ''), ',' order by id) from api_keys),
		(select string_agg(reporting_mode, ',' order by id) from organisations))`)
}

// rules.md, Keys: each asks in place, after 15 minutes, and keeps what was filled in. The right
// answer makes the change, and holds for the next ones.
func TestSensitiveFormsAskForThePasswordInPlace(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	const again = "Enter your password again."
	for name, s := range sensitiveForms(t, w, acme) {
		t.Run(name, func(t *testing.T) {
			b := w.SignedIn(t, acme.Admin)
			require.Equal(t, [2]bool{}, asks(b.Get(s.path)), "the sign-in counts")
			age(w, "15 minutes 1 second")
			opened := b.Get(s.path)
			require.Equal(t, http.StatusOK, opened.StatusCode)
			require.Equal(t, [2]bool{true, true}, asks(opened))
			require.NotContains(t, opened.Body, `id="errors"`)
			head := b.Send(http.MethodHead, s.path, "", nil)
			require.Equal(t, len(opened.Body), int(head.ContentLength),
				"HEAD is no sending of the form")
			before := changes(w)
			for _, c := range []struct{ password, code, said string }{
				{"", "", again},
				{"", w.CodeNow(t, fixtures.TOTPSecret), again},
				{
					"wrong horse battery", w.CodeNow(t, fixtures.TOTPSecret),
					"The password is wrong.",
				},
				{
					fixtures.Password, "",
					"Enter the code from your authenticator app, or a recovery code.",
				},
				{fixtures.Password, "000000", "The code is wrong, expired or already used."},
			} {
				p := b.Post(s.path, s.with(c.password, c.code))
				require.Equal(t, http.StatusUnprocessableEntity, p.StatusCode, c.said)
				require.Contains(t, p.Body, "<title>Error: ")
				require.Contains(t, p.Body,
					"<strong>One thing to fix.</strong> Nothing has been saved.")
				require.Contains(t, p.Body, c.said)
				require.Equal(t, [2]bool{true, true}, asks(p))
				for _, kept := range s.kept {
					require.Contains(t, p.Body, kept, c.said)
				}
				require.NotContains(t, p.Body, "horse battery", "a password is never shown again")
			}
			require.Equal(t, before, changes(w))
			require.Equal(t, 1,
				fixtures.One[int](w.DB, `select wrong_codes from users where id = $1`,
					acme.Admin.ID),
				"a code that is not given is not a wrong one")
			p := b.Post(s.path, s.with(fixtures.Password, w.CodeNow(t, fixtures.TOTPSecret)))
			require.Equal(t, s.done, p.StatusCode, p.Body)
			require.NotEqual(t, before, changes(w))
			require.Equal(t, [2]bool{}, asks(b.Get(s.path)))
		})
	}
}

// What is wrong with the rest of the form is said at once, and a right password counts although the
// form comes back.
func TestRightPasswordCountsInAFormWithErrors(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	b := w.SignedIn(t, acme.Owner)
	path := acme.At("/settings/api-keys/new")
	age(w, "1 hour")
	form := url.Values{
		"expiry": {"90"}, "idempotencyKey": {webtest.NewIdempotencyKey()},
		"current": {"wrong horse battery"},
	}
	p := b.Post(path, form)
	require.Equal(t, http.StatusUnprocessableEntity, p.StatusCode)
	require.Contains(t, p.Body, "<strong>Three things to fix.</strong>")
	for _, said := range []string{
		"Enter a name.", "Choose at least one scope.", "The password is wrong.",
	} {
		require.Contains(t, p.Body, said)
	}
	require.Equal(t, [2]bool{true, false}, asks(p),
		"without two-step verification there is no code")
	form.Set("current", fixtures.Password)
	p = b.Post(path, form)
	require.Equal(t, http.StatusBadRequest, p.StatusCode)
	require.Contains(t, p.Body, "<strong>Two things to fix.</strong>")
	require.Equal(t, [2]bool{}, asks(p))

	age(w, "1 hour") // all fields wrong at once
	form = url.Values{"name": {" "}, "description": {strings.Repeat("x", 201)}, "expiry": {"x"}}
	p = b.Post(path, form)
	require.Contains(t, p.Body, "<strong>Six things to fix.</strong>")
}

// Stopping a key that leaked never waits, and its name is no secret.
func TestRevokingAndRenamingNeverAsk(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	b := w.SignedIn(t, acme.Owner)
	key := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	age(w, "10 hours")
	for path, form := range map[string]url.Values{
		"/rename": {"name": {"Warehouse"}},
		"/revoke": {},
	} {
		at := acme.At("/settings/api-keys/%s", key.ID) + path
		require.Equal(t, [2]bool{}, asks(b.Get(at)), path)
		require.Equal(t, http.StatusSeeOther, b.Post(at, form).StatusCode, path)
	}
}

// Guesses in a form are counted with those of the account's forms, and recorded like them. Another
// session is not locked.
func TestPasswordsInSensitiveFormsAreBounded(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	s := sensitiveForms(t, w, acme)["a new key"]
	b := w.SignedIn(t, acme.Owner)
	other := w.SignedIn(t, acme.Owner)
	age(w, "1 hour")
	for i := range 10 {
		require.Equal(t, http.StatusUnprocessableEntity,
			b.Post(s.path, s.with("wrong horse battery", "")).StatusCode, i)
	}
	before := changes(w)
	p := b.Post(s.path, s.with(fixtures.Password, ""))
	require.Equal(t, http.StatusTooManyRequests, p.StatusCode)
	require.NotEmpty(t, p.Header.Get("Retry-After"))
	require.Contains(t, p.Body,
		"<strong>Too many failed attempts.</strong> Try again in 10 minutes")
	require.Contains(t, p.Body, "Not you? Sign out, sign in again and change your password.")
	for _, kept := range s.kept {
		require.Contains(t, p.Body, kept)
	}
	require.Equal(t, before, changes(w))
	var failed, locked int
	for _, e := range w.LogOf(t, acme) {
		switch {
		case e.Action == audit.SignInFailed && e.Reason == audit.WrongPassword &&
			e.Request.Path == s.path:
			failed++
		case e.Action == audit.SignInLocked && e.Actor.ID == acme.Owner.ID:
			locked++
		}
	}
	require.Equal(t, [2]int{10, 1}, [2]int{failed, locked})
	require.Equal(t, http.StatusOK, other.Post(s.path, s.with(fixtures.Password, "")).StatusCode)
}
