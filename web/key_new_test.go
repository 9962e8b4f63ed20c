package web_test

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/testkit/pgtest"
)

// goodForm is a form that makes a key.
func goodForm() url.Values {
	return url.Values{"name": {"Warehouse"}, "scopes": {"forks:read", "reports:read"}, "expiry": {"90"}, "idempotencyKey": {newIdempotencyKey()}}
}

// asOwner is the organisation's owner as modules/apikeys sees one.
func (o *organisation) asOwner() apikeys.Actor {
	return apikeys.Actor{
		Person:  apikeys.Person{ID: o.owner.id, Name: o.owner.name},
		Subject: authz.Subject{Kind: authz.Member, OrganisationID: o.id, Grants: authz.MemberGrants("owner", false)},
	}
}

// allKeys are the organisation's keys.
func (w *world) allKeys(t *testing.T, o *organisation) []apikeys.Key {
	t.Helper()
	keys, err := w.keys.List(t.Context(), o.asOwner())
	require.NoError(t, err)
	return keys
}

// secretIn is the key that an answer shows.
func secretIn(t *testing.T, p page) apikeys.Token {
	t.Helper()
	token, ok := apikeys.ParseToken(regexpFind(t, `<samp id="secret" data-secret>([^<]*)</samp>`, p.body))
	require.True(t, ok)
	return token
}

// The form shows the exact instant of each choice, and 90 days is chosen. Sent as it comes, with a
// name and something to read, it makes a key that ends at the instant shown.
func TestKeyIsCreatedFromTheForm(t *testing.T) {
	t.Parallel()
	now := noon
	w := startAt(t, &now)
	acme := newOrganisation("acme")
	w.load(t, acme)
	b := w.signedIn(t, acme.admin)
	form := b.get(acme.at("/settings/api-keys/new"))
	require.Equal(t, http.StatusOK, form.StatusCode)
	for days, instant := range map[string]string{"30": "21 Dec 2026, 00:00 UTC", "90": "19 Feb 2027, 00:00 UTC", "365": "21 Nov 2027, 00:00 UTC"} {
		require.Regexp(t, `value="`+days+`"[^\n]*`+instant, form.body)
	}
	require.Contains(t, form.body, `<input type="radio" id="x90" name="expiry" value="90" aria-describedby="x90h" checked>`)
	require.Equal(t, 1, strings.Count(form.body, " checked"))
	require.Contains(t, form.body, `name="scopes" value="forks:read"`)
	require.Contains(t, form.body, `name="scopes" value="reports:read"`)
	require.Contains(t, form.body, ">Reports</a>", "the areas are offered as everywhere")

	// What a browser sends of it without script: all fields, those for a day empty.
	sent := url.Values{"name": {"  Power BI, learning dashboard "}, "scopes": {"reports:read", "forks:read"}, "expiry": {"90"}, "day": {""}, "time": {""},
		"idempotencyKey": {regexpFind(t, `name="idempotencyKey" value="([^"]+)"`, form.body)}, "today": {regexpFind(t, `name="today" value="([^"]+)"`, form.body)}}
	created := b.post(acme.at("/settings/api-keys/new"), sent)
	require.Equal(t, http.StatusOK, created.StatusCode)
	require.Equal(t, "no-store", created.Header.Get("Cache-Control"))
	require.Contains(t, html.UnescapeString(words(created.body)), "Power BI, learning dashboard can read forks and reports until 19 Feb 2027, 00:00 UTC .")
	keys := w.allKeys(t, acme)
	require.Len(t, keys, 1)
	require.Equal(t, "Power BI, learning dashboard", keys[0].Name, "without the blanks around")
	require.Equal(t, time.Date(2027, 2, 19, 0, 0, 0, 0, time.UTC), keys[0].ExpiresAt.UTC())
	require.Equal(t, acme.admin.name, keys[0].CreatedBy.Name)
	require.Equal(t, now, keys[0].CreatedAt.UTC())

	token := secretIn(t, created)
	caller, err := w.keys.Authenticate(t.Context(), token, audit.Request{})
	require.NoError(t, err)
	require.Equal(t, acme.id, caller.OrganisationID)
	require.Contains(t, html.UnescapeString(created.body), "curl -sS '"+w.url+"/api/v1/forks' -H 'Authorization: Bearer "+token.String()+"'")
}

// The expiry is 30, 90 or 365 days, a day, a day and a time in UTC, or never. rules.md, Keys: a
// day means 00:00 UTC of it, and it lies in the future.
func TestNewKeyExpiresAtTheChosenTime(t *testing.T) {
	t.Parallel()
	now := noon
	w := startAt(t, &now)
	acme := newOrganisation("acme")
	w.load(t, acme)
	b := w.signedIn(t, acme.owner)
	for _, c := range []struct{ expiry, day, time, want string }{
		{"30", "", "", "2026-12-21T00:00:00Z"},
		{"365", "", "", "2027-11-21T00:00:00Z"},
		{"never", "", "", ""},
		{"day", "2026-11-22", "", "2026-11-22T00:00:00Z"},
		{"day", "2199-12-31", "23:59", "2199-12-31T23:59:00Z"},
		{"day", "2026-11-21", "09:32", "2026-11-21T09:32:00Z"},
	} {
		form := goodForm()
		form.Set("expiry", c.expiry)
		form.Set("day", c.day)
		form.Set("time", c.time)
		p := b.post(acme.at("/settings/api-keys/new"), form)
		require.Equal(t, http.StatusOK, p.StatusCode, "%v: %s", c, p.body)
		id := secretIn(t, p).ID
		got := ""
		for _, k := range w.allKeys(t, acme) {
			if k.ID == id && k.ExpiresAt != nil {
				got = k.ExpiresAt.UTC().Format(time.RFC3339)
			}
		}
		require.Equal(t, c.want, got, c)
		if c.want == "" {
			require.Contains(t, p.body, "and never expires.")
		}
	}
}

// All errors are shown at once, at the top and beside the fields, and the form keeps what was typed.
func TestNewKeyFormShowsAllErrorsAtOnce(t *testing.T) {
	t.Parallel()
	now := noon
	w := startAt(t, &now)
	acme := newOrganisation("acme")
	w.load(t, acme)
	b := w.signedIn(t, acme.owner)
	once := newIdempotencyKey()
	p := b.post(acme.at("/settings/api-keys/new"), url.Values{"name": {" "}, "expiry": {"day"}, "day": {"2026-11-20"}, "time": {""}, "idempotencyKey": {once}})
	require.Equal(t, http.StatusBadRequest, p.StatusCode)
	require.Contains(t, p.body, "<title>Error: Create key")
	require.Contains(t, p.body, `<div class="note bad" role="alert" id="errors" tabindex="-1" autofocus>`)
	require.Contains(t, p.body, "<strong>Three things to fix.</strong> Nothing has been saved.")
	for _, link := range []string{`<a href="#name">Enter a name.</a>`, `<a href="#scopes">Choose at least one scope.</a>`, `<a href="#day">20 November 2026 is in the past. Choose a later date.</a>`} {
		require.Contains(t, p.body, link)
	}
	require.Contains(t, p.body, `aria-describedby="name-hint name-error" aria-invalid="true"`)
	require.Contains(t, p.body, `<p class="error" id="scopes-error">Choose at least one scope.</p>`)
	require.Contains(t, p.body, `<p class="error" id="day-error">20 November 2026 is in the past. Choose a later date.</p>`)
	require.Contains(t, p.body, `value="2026-11-20" aria-invalid="true" aria-describedby="day-error"`)
	require.Contains(t, p.body, `id="xday" name="expiry" value="day" aria-describedby="xdayh" checked`)
	require.Contains(t, p.body, `name="idempotencyKey" value="`+once+`"`, "it is still the same form")
	require.NotContains(t, p.body, "dg_live_")
	require.Empty(t, w.allKeys(t, acme))
}

// keyFormErrors are changes of a valid form, the field that they make invalid, and its message.
var keyFormErrors = map[string]struct {
	set   url.Values
	field string
	says  string
}{
	"no name":                 {url.Values{"name": {""}}, "name", "Enter a name."},
	"an invisible name":       {url.Values{"name": {"\u200b"}}, "name", "Enter a name."},
	"201 characters":          {url.Values{"name": {strings.Repeat("é", 201)}}, "name", "The name has 201 characters. Use 200 or fewer."},
	"10,000 characters":       {url.Values{"name": {strings.Repeat("n", 10_000)}}, "name", "The name has 10,000 characters. Use 200 or fewer."},
	"NUL":                     {url.Values{"name": {"a\x00b"}}, "name", "contains invalid characters"},
	"a line break":            {url.Values{"name": {"a\nb"}}, "name", "contains invalid characters"},
	"no UTF-8":                {url.Values{"name": {"a\xffb"}}, "name", "contains invalid characters"},
	"no scope":                {url.Values{"scopes": nil}, "scopes", "at least one scope"},
	"an unknown scope":        {url.Values{"scopes": {"forks:write"}}, "scopes", "at least one scope"},
	"an unknown scope beside": {url.Values{"scopes": {"forks:read", "*"}}, "scopes", "at least one scope"},
	"no expiry":               {url.Values{"expiry": nil}, "expiry", "Choose when the key expires."},
	"another expiry":          {url.Values{"expiry": {"31"}}, "expiry", "Choose when the key expires."},
	"no day":                  {url.Values{"expiry": {"day"}}, "day", "Enter a date from 2000 to 2199"},
	"a time alone":            {url.Values{"expiry": {"day"}, "time": {"10:00"}}, "day", "Enter a date from 2000 to 2199"},
	"today":                   {url.Values{"expiry": {"day"}, "day": {"2026-11-21"}}, "day", "21 November 2026 has already begun. Choose a later date, or add a time."},
	"now":                     {url.Values{"expiry": {"day"}, "day": {"2026-11-21"}, "time": {"09:31"}}, "time", "21 November 2026, 09:31 UTC is in the past. Choose a later time or date."},
	"no such day":             {url.Values{"expiry": {"day"}, "day": {"2026-02-30"}}, "day", "Enter a date from 2000 to 2199"},
	"another form of day":     {url.Values{"expiry": {"day"}, "day": {"31/12/2026"}}, "day", "Enter a date from 2000 to 2199"},
	"a day too late":          {url.Values{"expiry": {"day"}, "day": {"2200-01-01"}}, "day", "from 2000 to 2199"},
	"no such time":            {url.Values{"expiry": {"day"}, "day": {"2026-12-31"}, "time": {"24:00"}}, "time", "Enter a time from 00:00 to 23:59"},
	"another form of time":    {url.Values{"expiry": {"day"}, "day": {"2026-12-31"}, "time": {"9:30"}}, "time", "Enter a time from 00:00 to 23:59"},
	"a day with 90 days":      {url.Values{"day": {"2026-12-31"}}, "day", "“On a date” is not selected"},
	"a time with never":       {url.Values{"expiry": {"never"}, "time": {"10:00"}}, "day", "“On a date” is not selected"},
	"a form of yesterday":     {url.Values{"today": {"2026-11-20"}}, "expiry", "A new day has begun since you opened this page"},
	"no form":                 {url.Values{"idempotencyKey": nil}, "main", "The form was incomplete."},
	"half a form":             {url.Values{"idempotencyKey": {"x"}}, "main", "The form was incomplete."},
}

func TestInvalidKeyFormIsRejected(t *testing.T) {
	t.Parallel()
	now := noon
	w := startAt(t, &now)
	acme := newOrganisation("acme")
	w.load(t, acme)
	b := w.signedIn(t, acme.owner)
	for name, c := range keyFormErrors {
		t.Run(name, func(t *testing.T) {
			form := goodForm()
			maps.Copy(form, c.set)
			p := b.post(acme.at("/settings/api-keys/new"), form)
			require.Equal(t, http.StatusBadRequest, p.StatusCode)
			require.Contains(t, p.body, "<strong>One thing to fix.</strong>")
			require.Contains(t, p.body, `<li><a href="#`+c.field+`">`)
			require.Contains(t, html.UnescapeString(p.body), c.says)
			require.Contains(t, p.body, ` id="`+c.field+`"`, "the link has a target")
			if c.field != "main" {
				require.Regexp(t, `<p class="error" id="`+c.field+`-error">`, p.body)
				require.Regexp(t, `aria-describedby="[^"]*`+c.field+`-error"`, p.body)
			}
			if typed := form.Get("name"); strings.IndexFunc(typed, func(r rune) bool { return r < ' ' || r == '\ufffd' }) < 0 {
				require.Contains(t, p.body, `value="`+typed+`"`, "what was typed is kept")
			}
		})
	}
	require.Empty(t, w.allKeys(t, acme))
}

// The curl line works on paste: for a key that may not list forks it reads the statistics of one.
func TestSampleCommandMatchesTheScopes(t *testing.T) {
	t.Parallel()
	now := noon
	w := startAt(t, &now)
	acme, bare := newOrganisation("acme"), newOrganisation("bare")
	fork := acme.withFork()
	w.load(t, acme, bare)
	form := func(o *organisation, scope string) string {
		f := goodForm()
		f["scopes"] = []string{scope}
		p := w.signedIn(t, o.owner).post(o.at("/settings/api-keys/new"), f)
		require.Equal(t, http.StatusOK, p.StatusCode)
		_, shown, _ := strings.Cut(html.UnescapeString(p.body), "Try it")
		return strings.ReplaceAll(shown, secretIn(t, p).String(), "KEY")
	}
	require.Contains(t, form(acme, "forks:read"), "curl -sS '"+w.url+"/api/v1/forks' -H 'Authorization: Bearer KEY'")
	stats := form(acme, "reports:read")
	require.Contains(t, stats, "curl -sS '"+w.url+"/api/v1/forks/"+fork+"/stats?from=2026-11-15&to=2026-11-21' -H 'Authorization: Bearer KEY'")
	require.Contains(t, stats, "<bdi>Prompting at the dock</bdi> for the last 7 days")
	none := form(bare, "reports:read")
	require.Contains(t, none, "no forks yet")
	require.NotContains(t, none, "curl")
	require.Contains(t, form(bare, "forks:read"), "curl")
}

// A double submit makes one key and one entry, also when many come at once, on two instances; one
// answer has the secret.
func TestDoubleSubmitCreatesOneKey(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	first, second := startOn(t, db, time.Now), startOn(t, db, time.Now)
	acme := newOrganisation("acme")
	first.load(t, acme)
	path := acme.at("/settings/api-keys/new")
	one := first.signedIn(t, acme.owner)
	form := goodForm()
	const n = 12
	answers := make([]page, n)
	var wait sync.WaitGroup
	for i := range n {
		b := first.browser(t)
		if i%2 == 1 {
			b = second.browser(t)
		}
		b.cookies["__Host-dg"] = one.cookies["__Host-dg"]
		wait.Go(func() {
			answers[i] = b.post(path, form)
		})
	}
	wait.Wait()
	shown := 0
	for _, p := range answers {
		require.Equal(t, http.StatusOK, p.StatusCode)
		if strings.Contains(p.body, `id="secret"`) {
			shown++
			continue
		}
		require.Contains(t, p.notes(t)[0], "Warehouse has already been created. Its secret was shown then and cannot be shown again.")
		require.Contains(t, p.row(t, "Warehouse"), "Active")
	}
	require.Equal(t, 1, shown)
	require.Len(t, first.allKeys(t, acme), 1)
	require.Len(t, first.logOf(t, acme), 1)
}

// The secret is in one answer and nowhere else: in no other answer, no log, and not in the database.
func TestSecretIsShownOnce(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	w.load(t, acme)
	b := w.signedIn(t, acme.owner)
	form := goodForm()
	path := acme.at("/settings/api-keys/new")
	created := b.post(path, form)
	token := secretIn(t, created)
	require.Equal(t, 2, strings.Count(created.body, token.Secret), "to copy, and in the command")
	for name, header := range created.Header {
		require.NotContains(t, fmt.Sprint(header), token.Secret[:12], name)
	}
	for name, p := range map[string]page{
		"again": b.post(path, form), "form": b.get(path), "list": b.get(acme.at("/settings/api-keys")),
		"revoke":       b.get(acme.at("/settings/api-keys/%s/revoke", token.ID)),
		"log":          b.get(acme.at("/settings/audit-log")),
		"log as CSV":   b.get(acme.at("/settings/audit-log.csv")),
		"organisation": b.get(acme.at("/settings/organisation")),
		"revoked":      b.post(acme.at("/settings/api-keys/%s/revoke", token.ID), url.Values{}),
		"said":         b.get(acme.at("/settings/api-keys?revoked=%s", token.ID)),
	} {
		require.Less(t, p.StatusCode, 400, name)
		require.NotContains(t, p.body, token.Secret[:12], name)
	}
	require.Contains(t, b.get(acme.at("/settings/api-keys")).body, token.ID, "the id is no secret")
	logged := w.logged.String()
	require.Contains(t, logged, path, "the log of the program says what was requested")
	require.NotContains(t, logged, token.Secret[:12])
	for _, table := range []string{"api_keys", "audit_entries", "sessions"} {
		var rows, with int
		require.NoError(t, w.db.Owner.Pool.QueryRow(t.Context(), `select count(*), count(*) filter (where r::text like '%' || $1 || '%') from `+table+` r`,
			token.Secret[:12]).Scan(&rows, &with))
		require.NotZero(t, rows, table)
		require.Zero(t, with, table)
	}
}

// See TestCrossOriginFormsAreRejected for forms of other sites. One
// that names another organisation makes nothing there either.
func TestKeyIsNotCreatedForAnotherOrganisation(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other := newOrganisation("acme"), newOrganisation("other")
	w.load(t, acme, other)
	foreign := w.newKey(t, other, "Theirs", apikeys.ForksRead)
	b := w.signedIn(t, acme.owner)
	require.Equal(t, http.StatusNotFound, b.post(other.at("/settings/api-keys/new"), goodForm()).StatusCode)
	require.Len(t, w.allKeys(t, other), 1)
	for _, id := range []string{foreign.ID, "0123456789ABCDEFGHIJKL", "x", "%00", strings.Repeat("a", 4000)} {
		path := acme.at("/settings/api-keys/") + id + "/revoke"
		require.Equal(t, http.StatusNotFound, b.get(path).StatusCode, id)
		require.Equal(t, http.StatusNotFound, b.post(path, url.Values{}).StatusCode, id)
	}
	require.Nil(t, w.allKeys(t, other)[0].RevokedAt)
	require.Empty(t, b.get(acme.at("/settings/api-keys?revoked=%s", foreign.ID)).notes(t), "nothing is said of a foreign key")
}
