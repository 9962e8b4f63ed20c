package web_test

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit/fixtures"
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
func (w *world) sensitiveForms(t *testing.T, acme *organisation) map[string]sensitive {
	t.Helper()
	w.db.Exec(`update memberships set role = 'owner' where user_id = $1`, acme.admin.ID)
	old := w.newKey(t, acme, "BI", apikeys.ReportsRead)
	return map[string]sensitive{
		"a new key": {acme.at("/settings/api-keys/new"), url.Values{
			"name": {"Warehouse"}, "description": {"Ask Bo"}, "scopes": {"reports:read"},
			"expiry": {"day"}, "day": {"2027-01-02"}, "time": {"09:30"},
			"idempotencyKey": {"0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e44"},
		}, []string{
			`value="Warehouse"`, `value="Ask Bo"`, `value="2027-01-02"`, `value="09:30"`,
			`value="reports:read" aria-describedby="sr-h" checked`,
			`id="xday" name="expiry" value="day" aria-describedby="xdayh" checked`,
			`value="0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e44"`,
		}, http.StatusOK},
		"a replacement": {acme.at("/settings/api-keys/%s/replace", old.ID),
			url.Values{"overlap": {"week"}, "idempotencyKey": {newIdempotencyKey()}},
			[]string{`id="oweek" name="overlap" value="week" aria-describedby="oweekh" checked`},
			http.StatusOK},
		"a mode": {acme.at("/settings/organisation/reporting-mode"), toNominative(acme),
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
func (w *world) age(since string) {
	w.db.Exec(`update sessions set authenticated_at = now() - $1::interval`, since)
}

// asks reports whether a page asks for the password and for the code.
func (p page) asks() [2]bool {
	return [2]bool{strings.Contains(p.body, `name="current"`), strings.Contains(p.body, `name="code"`)}
}

// changes are the keys and the modes that there are.
func (w *world) changes() string {
	return fixtures.One[string](w.db, `select concat_ws(' ',
		(select string_agg(id || coalesce(revoked_at::text, ''), ',' order by id) from api_keys),
		(select string_agg(reporting_mode, ',' order by id) from organisations))`)
}

// rules.md, Keys: each asks in place, after 15 minutes, and keeps what was filled in. The right answer
// makes the change, and holds for the next ones.
func TestSensitiveFormsAskForThePasswordInPlace(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	const again = "Enter your password again."
	for name, s := range w.sensitiveForms(t, acme) {
		t.Run(name, func(t *testing.T) {
			b := w.signedIn(t, acme.admin)
			require.Equal(t, [2]bool{}, b.get(s.path).asks(), "the sign-in counts")
			w.age("15 minutes")
			opened := b.get(s.path)
			require.Equal(t, http.StatusOK, opened.StatusCode)
			require.Equal(t, [2]bool{true, true}, opened.asks())
			require.NotContains(t, opened.body, `id="errors"`)
			head := b.send(http.MethodHead, s.path, "", nil)
			require.Equal(t, len(opened.body), int(head.ContentLength), "HEAD is no sending of the form")
			before := w.changes()
			for _, c := range []struct{ password, code, said string }{
				{"", "", again},
				{"", w.codeNow(t, fixtures.TOTPSecret), again},
				{"wrong horse battery", w.codeNow(t, fixtures.TOTPSecret), "The password is wrong."},
				{fixtures.Password, "", "Enter the code from your authenticator app, or a recovery code."},
				{fixtures.Password, "000000", "The code is wrong, expired or already used."},
			} {
				p := b.post(s.path, s.with(c.password, c.code))
				require.Equal(t, http.StatusUnprocessableEntity, p.StatusCode, c.said)
				require.Contains(t, p.body, "<title>Error: ")
				require.Contains(t, p.body, "<strong>One thing to fix.</strong> Nothing has been saved.")
				require.Contains(t, p.body, c.said)
				require.Equal(t, [2]bool{true, true}, p.asks())
				for _, kept := range s.kept {
					require.Contains(t, p.body, kept, c.said)
				}
				require.NotContains(t, p.body, "horse battery", "a password is never shown again")
			}
			require.Equal(t, before, w.changes())
			require.Equal(t, 1, fixtures.One[int](w.db, `select wrong_codes from users where id = $1`, acme.admin.ID),
				"a code that is not given is not a wrong one")
			p := b.post(s.path, s.with(fixtures.Password, w.codeNow(t, fixtures.TOTPSecret)))
			require.Equal(t, s.done, p.StatusCode, p.body)
			require.NotEqual(t, before, w.changes())
			require.Equal(t, [2]bool{}, b.get(s.path).asks())
		})
	}
}

// What is wrong with the rest of the form is said at once, and a right password counts although the
// form comes back.
func TestRightPasswordCountsInAFormWithErrors(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b, path := w.signedIn(t, acme.owner), acme.at("/settings/api-keys/new")
	w.age("1 hour")
	form := url.Values{"expiry": {"90"}, "idempotencyKey": {newIdempotencyKey()}, "current": {"wrong horse battery"}}
	p := b.post(path, form)
	require.Equal(t, http.StatusUnprocessableEntity, p.StatusCode)
	require.Contains(t, p.body, "<strong>Three things to fix.</strong>")
	for _, said := range []string{"Enter a name.", "Choose at least one scope.", "The password is wrong."} {
		require.Contains(t, p.body, said)
	}
	require.Equal(t, [2]bool{true, false}, p.asks(), "without two-step verification there is no code")
	form.Set("current", fixtures.Password)
	p = b.post(path, form)
	require.Equal(t, http.StatusBadRequest, p.StatusCode)
	require.Contains(t, p.body, "<strong>Two things to fix.</strong>")
	require.Equal(t, [2]bool{}, p.asks())

	w.age("1 hour") // all fields wrong at once
	form = url.Values{"name": {" "}, "description": {strings.Repeat("x", 201)}, "expiry": {"x"}}
	p = b.post(path, form)
	require.Contains(t, p.body, "<strong>Six things to fix.</strong>")
}

// Stopping a key that leaked never waits, and its name is no secret.
func TestRevokingAndRenamingNeverAsk(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b, key := w.signedIn(t, acme.owner), w.newKey(t, acme, "BI", apikeys.ReportsRead)
	w.age("10 hours")
	for path, form := range map[string]url.Values{"/rename": {"name": {"Warehouse"}}, "/revoke": {}} {
		at := acme.at("/settings/api-keys/%s", key.ID) + path
		require.Equal(t, [2]bool{}, b.get(at).asks(), path)
		require.Equal(t, http.StatusSeeOther, b.post(at, form).StatusCode, path)
	}
}

// Guesses in a form are counted with those of the account's forms, and recorded like them. Another
// session is not locked.
func TestPasswordsInSensitiveFormsAreBounded(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	s := w.sensitiveForms(t, acme)["a new key"]
	b, other := w.signedIn(t, acme.owner), w.signedIn(t, acme.owner)
	w.age("1 hour")
	for i := range 10 {
		require.Equal(t, http.StatusUnprocessableEntity, b.post(s.path, s.with("wrong horse battery", "")).StatusCode, i)
	}
	before := w.changes()
	p := b.post(s.path, s.with(fixtures.Password, ""))
	require.Equal(t, http.StatusTooManyRequests, p.StatusCode)
	require.NotEmpty(t, p.Header.Get("Retry-After"))
	require.Contains(t, p.body, "<strong>Too many failed attempts.</strong> Try again in 10 minutes")
	require.Contains(t, p.body, "Not you? Sign out, sign in again and change your password.")
	for _, kept := range s.kept {
		require.Contains(t, p.body, kept)
	}
	require.Equal(t, before, w.changes())
	var failed, locked int
	for _, e := range w.logOf(t, acme) {
		switch {
		case e.Action == audit.SignInFailed && e.Reason == audit.WrongPassword && e.Request.Path == s.path:
			failed++
		case e.Action == audit.SignInLocked && e.Actor.ID == acme.owner.ID:
			locked++
		}
	}
	require.Equal(t, [2]int{10, 1}, [2]int{failed, locked})
	require.Equal(t, http.StatusOK, other.post(s.path, s.with(fixtures.Password, "")).StatusCode)
}

// A session that ended before the password was sent costs a sign-in: the form is shown again with its
// text, asks for no password, since it was just entered, and the password was kept nowhere.
func TestSensitiveFormAfterTheSessionEnded(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	for name, s := range w.sensitiveForms(t, acme) {
		t.Run(name, func(t *testing.T) {
			b := w.signedIn(t, acme.admin)
			w.age("1 hour")
			before := w.changes()
			w.sentAfterTheEnd(t, b, s.path, s.with(fixtures.Password, "123456"))
			draft, err := base64.RawURLEncoding.DecodeString(b.cookies["__Host-dg-draft"])
			require.NoError(t, err)
			for _, secret := range []string{fixtures.Password, "123456", "current", "code"} {
				require.NotContains(t, string(draft), secret)
			}
			next := "?" + url.Values{"next": {s.path}}.Encode()
			requireRedirect(t, "/sign-in/code"+next, b.post("/sign-in"+next, credentials(acme.admin)))
			requireRedirect(t, s.path, b.post("/sign-in/code"+next, url.Values{"code": {w.codeNow(t, fixtures.TOTPSecret)}}))
			form := b.get(s.path)
			require.Contains(t, form.body, textBack)
			require.Contains(t, form.body, s.kept[0])
			require.Equal(t, [2]bool{}, form.asks())
			require.Equal(t, before, w.changes(), "nothing was sent")
			require.Equal(t, s.done, b.post(s.path, s.fields).StatusCode)
		})
	}
}
