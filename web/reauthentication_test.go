package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

type sensitiveForm struct {
	path       string
	fields     url.Values
	keptFields []string // texts that the form still has after an error
	wantStatus int      // status of the response to the change
}

// sensitiveForms returns all sensitive forms by name. It makes acme.Admin, who uses two-step, an owner.
func sensitiveForms(t *testing.T, w *webtest.World, acme *webtest.Organisation) map[string]sensitiveForm {
	w.DB.Exec(`update memberships set role = 'owner' where user_id = $1`, acme.Admin.ID)
	old := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	return map[string]sensitiveForm{
		"a new key": {acme.Path("/settings/api-keys/new"), testkit.Form("name", "Warehouse", "description", "Ask Bo",
			"scopes", "reports:read", "expiry", "day", "day", "2027-01-02"), []string{
			`value="Warehouse"`, `value="Ask Bo"`, `value="2027-01-02"`, `value="reports:read" aria-describedby="sr-h" checked`,
			`id="xday" name="expiry" value="day" aria-describedby="xdayh" checked`}, http.StatusOK},
		"a replacement": {acme.Path("/settings/api-keys/%s/replace", old.ID), webtest.ReplacementForm("week"),
			[]string{`id="oweek" name="overlap" value="week" aria-describedby="oweekh" checked`}, http.StatusOK},
		"a mode": {acme.Path("/settings/organisation/reporting-mode"),
			testkit.Form("mode", "nominative", "organisation", acme.Name),
			[]string{`value="nominative" checked`, `name="organisation" value="` + acme.Name + `"`}, http.StatusSeeOther},
	}
}

func (s sensitiveForm) withProof(password, code string) url.Values {
	form := maps.Clone(s.fields)
	form.Set("current", password)
	form.Set("code", code)
	return form
}

func ageSessions(w *webtest.World, age string) {
	w.DB.Exec(`update sessions set authenticated_at = now() - $1::interval`, age)
}

// proofFields reports whether a page asks for the password, and whether it asks for the code.
func proofFields(p testkit.Page) [2]bool {
	return [2]bool{strings.Contains(p.Body, `name="current"`), strings.Contains(p.Body, `name="code"`)}
}

func keysAndModes(w *webtest.World) string {
	return testkit.Query[string](w.DB, `select concat_ws(' ',
		(select string_agg(id || coalesce(revoked_at::text, ''), ',' order by id) from api_keys),
		(select string_agg(reporting_mode, ',' order by id) from organisations))`)
}

// rules.md, Keys: after 15 minutes each sensitive form asks for the password in place, keeps its fields, and proceeds.
func TestSensitiveFormsAskForThePasswordInPlace(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	const again = "Enter your password again."
	for name, s := range sensitiveForms(t, w, acme) {
		t.Run(name, func(t *testing.T) {
			b := w.SignIn(t, acme.Admin)
			require.Equal(t, [2]bool{}, proofFields(b.Get(s.path)), "the sign-in counts")
			ageSessions(w, "15 minutes 1 second")
			opened := b.Get(s.path).Is(t, 200)
			require.Equal(t, [2]bool{true, true}, proofFields(opened))
			opened.Lacks(t, `id="errors"`)
			head := b.Send(http.MethodHead, s.path, "", nil)
			require.Equal(t, len(opened.Body), int(head.ContentLength), "HEAD does not submit the form")
			before := keysAndModes(w)
			for _, c := range []struct{ password, code, message string }{
				{"", "", again},
				{"", w.CodeNow(t, testkit.TOTPSecret), again},
				{"wrong horse battery", w.CodeNow(t, testkit.TOTPSecret), "The password is wrong."},
				{testkit.Password, "", "Enter the code from your authenticator app, or a recovery code."},
				{testkit.Password, "000000", "The code is wrong, expired or already used."},
			} {
				p := b.Post(s.path, s.withProof(c.password, c.code)).Is(t, 422)
				p.Has(t, "<title>Error: ", "<strong>1 thing to fix.</strong> Nothing has been saved.", c.message)
				require.Equal(t, [2]bool{true, true}, proofFields(p))
				p.Has(t, s.keptFields...)
				require.NotContains(t, p.Body, "horse battery", "a password is never shown again")
			}
			require.Equal(t, before, keysAndModes(w))
			require.Equal(t, 1, testkit.Query[int](w.DB, `select sum(wrong) from password_guesses`),
				"a missing code does not count as a wrong one")
			p := b.Post(s.path, s.withProof(testkit.Password, w.CodeNow(t, testkit.TOTPSecret)))
			require.Equal(t, s.wantStatus, p.StatusCode, p.Body)
			require.NotEqual(t, before, keysAndModes(w))
			require.Equal(t, [2]bool{}, proofFields(b.Get(s.path)))
		})
	}
}

// A form shows all its errors at once. A correct password is accepted even if the form has errors.
func TestRightPasswordCountsInAFormWithErrors(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	path := acme.Path("/settings/api-keys/new")
	ageSessions(w, "1 hour")
	form := testkit.Form("expiry", "90", "current", "wrong horse battery")
	p := b.Post(path, form).Is(t, 422).Has(t, "<strong>3 things to fix.</strong>",
		"Enter a name.", "Choose at least one scope.", "The password is wrong.")
	require.Equal(t, [2]bool{true, false}, proofFields(p), "without two-step verification there is no code")
	form.Set("current", testkit.Password)
	p = b.Post(path, form).Is(t, 400).Has(t, "<strong>2 things to fix.</strong>")
	require.Equal(t, [2]bool{}, proofFields(p))
}

// Revoking and renaming need no password: a leaked key must be revoked without delay, and a name is not sensitive.
func TestRevokingAndRenamingNeedNoPassword(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	key := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	ageSessions(w, "10 hours")
	for path, form := range map[string]url.Values{"/rename": {"name": {"Warehouse"}}, "/revoke": {}} {
		page := acme.Path("/settings/api-keys/%s", key.ID) + path
		require.Equal(t, [2]bool{}, proofFields(b.Get(page)), path)
		b.Post(page, form).Is(t, 303)
	}
}
