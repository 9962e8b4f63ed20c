package keys_test

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
	"dg/web/internal/webtest"
)

func storeUsage(w *webtest.World, k apikeys.Key, daysAgo int, accepted, refused, limited int64) {
	w.DB.Exec(`insert into api_key_usage (org_id, key_id, day, accepted, refused, limited)
		select org_id, id, (now() at time zone 'utc')::date - $2::int, $3, $4, $5 from api_keys where id = $1`,
		k.ID, daysAgo, accepted, refused, limited)
}

// A key's page shows its properties, its actions, and its requests by day as bars and as a table.
func TestKeyPageShowsUsageAndActions(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	expiry := time.Now().Add(300 * 24 * time.Hour)
	key, token := tb.Must2(w.Keys.Create(t.Context(), acme.AsOwner(), apikeys.NewKey{
		Name:        "Warehouse",
		Description: "Ask <b>Ann</b>",
		Scopes:      []apikeys.Scope{apikeys.ReportsRead},
		ExpiresAt:   &expiry,
	}, audit.Request{}))(t)
	path := acme.Path("/settings/api-keys/%s", key.ID)
	b.Get(acme.Path("/settings/api-keys")).Has(t, `<a href="`+path+`"><bdi data-name>Warehouse</bdi></a>`)
	p := b.Get(path).Is(t, 200)
	p.Has(t, "<h1><bdi>Warehouse</bdi></h1>", "Ask &lt;b&gt;Ann&lt;/b&gt;", "dg_live_"+key.ID+"_…", "<dd>Reports</dd>",
		`<span class="state on">Active</span> <span>Expires <time`, "by <bdi>owner of acme</bdi>",
		"<dt>Last used</dt><dd data-used>Never</dd>", "No requests counted in the last 30 days.", path+"/replace",
		path+"/rename", path+"/revoke", acme.Path("/settings/audit-log?key=%s", key.ID))
	p.Lacks(t, token.Secret, "<svg class=\"low\"")
	storeUsage(w, key, 0, 1204, 3, 1)
	storeUsage(w, key, 29, 10, 0, 0)
	storeUsage(w, key, 30, 1_000_000, 0, 0)
	p = b.Get(path).Has(t, "<p>1,214 accepted, 3 refused, 1 limited</p>")
	today := time.Now().UTC().Format("Mon 2 Jan 2006")
	p.Has(t, "<title>"+today+": 1,204 accepted, 3 refused, 1 limited</title>", `<g class="bars" aria-hidden="true">`)
	require.Contains(t, testkit.TextOf(p.Body), today+" 1,204 3 1")
	require.Equal(t, 31, strings.Count(p.Body, `<tr><th scope="`))
	p.Has(t, "Refused (key or scope), or limited (over 120")
	require.Equal(t, 2, strings.Count(p.Body, `"100%"/><path class="rejected"`), "two days have a bar")
}

// A revoked, expired or replaced key cannot be replaced. A revoked or expired key can only be renamed.
func TestKeyPageOffersWhatCanBeDone(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	now := time.Now()
	for name, c := range map[string]struct {
		change string
		person testkit.Person
		offers string
	}{
		"usable":               {"name = name", acme.Owner, "/replace /rename /revoke"},
		"without two-step":     {"name = name", acme.AdminPlain, "/revoke"},
		"replaced":             {"revoked_at = now() + interval '1 d'", acme.Admin, "/rename /revoke"},
		"revoked":              {"revoked_at = now()", acme.Owner, "/rename"},
		"expired":              {"created_at = now() - interval '2 d', expires_at = now()", acme.Owner, "/rename"},
		"replaced and expired": {"revoked_at = now() + interval '1 d', expires_at = now()", acme.Owner, "/rename"},
	} {
		key := w.NewKey(t, acme, name, apikeys.ForksRead)
		w.DB.Exec(`update api_keys set `+c.change+` where id = $1`, key.ID)
		path := acme.Path("/settings/api-keys/%s", key.ID)
		p := w.SignIn(t, c.person).Get(path).Is(t, 200)
		offered := []string{}
		for _, action := range []string{"/replace", "/rename", "/revoke"} {
			if strings.Contains(p.Body, `href="`+path+action+`"`) {
				offered = append(offered, action)
			}
		}
		require.Equal(t, c.offers, strings.Join(offered, " "), name)
		if name == "replaced" {
			stops := " Stops " + now.Add(24*time.Hour).UTC().Format("2 Jan 2006")
			require.Contains(t, testkit.TextOf(p.Body), "Status Replaced"+stops)
		}
	}
}

// The rename form keeps an invalid description. The log records the old name.
func TestKeyIsRenamed(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	b := w.SignIn(t, acme.Admin)
	path := acme.Path("/settings/api-keys/%s", key.ID)
	b.Get(path+"/rename").Has(t, `required autocomplete="off" value="BI"`, `name="shownName" value="BI"`)

	tooLong := strings.Repeat("é", 201)
	b.Post(path+"/rename", url.Values{"name": {"  "}, "description": {tooLong}}).Is(t, 400).Has(t, "Enter a name.",
		"The description is too long. Use 200 characters or fewer.", "<title>Error: Edit key", `value="`+tooLong+`"`)
	require.Equal(t, "BI", w.AllKeys(t, acme)[0].Name)

	page := b.Post(path+"/rename", url.Values{"name": {" Power BI "}, "description": {" For Ann "}}).Is(t, 303)
	b.Get(page.Header.Get("Location")).Has(t, "<h1><bdi>Power BI</bdi></h1>", `<bdi>For Ann</bdi>`)
	b.Post(path+"/rename", url.Values{"name": {"BI"}, "shownName": {"BI"}, "description": {"For Bo"}}).Is(t, 303)
	b.Post(path+"/rename", url.Values{"name": {"Power"}}).Is(t, 303)
	b.Get(path).Has(t, "<h1><bdi>Power</bdi></h1>", `<bdi>For Bo</bdi>`) // both forms were opened before the rename
	b.Get(acme.Path("/settings/audit-log?key=%s", key.ID)).Has(t, "Key renamed", "Old name: <bdi>BI")
}

// The confirmation shows the key, its last use and the effect, without JavaScript. Revoking again changes nothing. A
// replaced key is revoked at once, even on an instance whose clock is ahead and shows the overlap as ended.
func TestKeyIsRevokedAfterConfirmation(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Minute)
	w, acme := webtest.StartAt(t, &now)
	key := w.NewKey(t, acme, "Warehouse, nightly export", apikeys.ReportsRead)
	used := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	updateKey(t, w, used, now.Add(-time.Hour), now.Add(-time.Minute), nil, nil)
	b := w.SignIn(t, acme.AdminPlain)
	path := acme.Path("/settings/api-keys/%s/revoke", key.ID)
	b.Get(path).Is(t, 200).Has(t, "<h1>Revoke “<bdi>Warehouse, nightly export</bdi>”?</h1>",
		"Every tool that uses this key loses access immediately and for good.", "<dt>Last used</dt><dd>Never</dd>",
		"dg_live_"+key.ID+"_…", `href="`+acme.Path("/settings/api-keys/%s", key.ID)+`" autofocus>Cancel</a>`)
	b.Get(acme.Path("/settings/api-keys/%s/revoke", used.ID)).Has(t,
		`<dt>Last used</dt><dd data-lately><time datetime="`+now.Add(-time.Minute).Format("2006-01-02T15:04:05.000Z"))
	require.Len(t, w.LogOf(t, acme), 2, "asking changes nothing")

	page := b.Post(path, url.Values{}).Is(t, 303)
	now = time.Now() // after the revocation, which the database's clock stamps
	require.Contains(t, rowOf(t, b.Get(page.Header.Get("Location")), key.Name), "Revoked Since")

	before := w.AllKeys(t, acme)
	testkit.RequireRedirect(t, acme.Path("/settings/api-keys/%s", key.ID), b.Get(path))
	b.Post(path, url.Values{}).Is(t, 303)
	require.Equal(t, before, w.AllKeys(t, acme))
	require.Len(t, w.LogOf(t, acme), 3)

	w.DB.Exec(`update api_keys set revoked_at = now() + interval '1 h' where id = $1`, used.ID)
	now = now.Add(2 * time.Hour)
	b.Post(acme.Path("/settings/api-keys/%s/revoke", used.ID), url.Values{}).Is(t, 303)
	revoked := tb.Must(w.Keys.Key(t.Context(), acme.AsOwner(), used.ID))(t)
	require.WithinDuration(t, time.Now(), *revoked.RevokedAt, time.Minute)
}

func secretIn(t *testing.T, p testkit.Page) apikeys.Token {
	token, ok := apikeys.ParseToken(testkit.Submatch(t, `<samp id="secret" data-secret translate="no">([^<]*)</samp>`, p.Body))
	require.True(t, ok)
	return token
}

func createdKey(t *testing.T, w *webtest.World, o *webtest.Organisation, p testkit.Page) apikeys.Key {
	return tb.Must(w.Keys.Key(t.Context(), o.AsOwner(), secretIn(t, p.Is(t, 200)).ID))(t)
}

// doc.go: nothing is read from the database after the creation. An error would lose the secret.
func TestPageOfANewKeyReadsNothingAfterTheCreation(t *testing.T) {
	w, acme := webtest.StartAt(t, new(fixedNow))
	b := w.SignIn(t, acme.Admin)
	w.DB.Exec(`create function hide_keys() returns trigger language plpgsql security definer as
		'begin revoke select on api_keys from dg_app; return null; end'`)
	w.DB.Exec(`create constraint trigger hide_keys after insert on api_keys
		deferrable initially deferred for each row execute function hide_keys()`)
	secretIn(t, b.Post(acme.Path("/settings/api-keys/new"), webtest.NewKeyForm()).Is(t, 200))
	b.Get(acme.Path("/settings/api-keys")).Is(t, 500)
}

// The form's default is both scopes and 90 days. It also offers 30 and 365 days, a day at 00:00 UTC, and never. The
// page that follows has the secret once. TestSecretsAppearNowhere proves that it is not stored, logged or shown again.
func TestKeyIsCreatedFromTheForm(t *testing.T) {
	w, acme := webtest.StartAt(t, new(fixedNow))
	b := w.SignIn(t, acme.Admin)
	form := b.Get(acme.Path("/settings/api-keys/new")).Is(t, 200)
	require.Regexp(t, `(?s)value="30"[^\n]*21 Dec 2026<.*value="90"[^\n]*19 Feb 2027<.*`+
		`value="365"[^\n]*21 Nov 2027<`, form.Body)
	form.Has(t, `name="expiry" value="90" aria-describedby="x90h" checked>`)
	require.Equal(t, 3, strings.Count(form.Body, " checked"), "with both scopes")

	sent := webtest.NewKeyForm()
	sent.Set("name", "  Power BI, learning dashboard ")
	created := b.Post(acme.Path("/settings/api-keys/new"), sent)
	require.Equal(t, "no-store", created.Header.Get("Cache-Control"))
	require.Contains(t, html.UnescapeString(testkit.TextOf(created.Body)),
		"Name Power BI, learning dashboard Scopes Forks, reports Expires 19 Feb 2027, 00:00 UTC")
	key := createdKey(t, w, acme, created)
	require.Equal(t, "Power BI, learning dashboard", key.Name, "without the blanks around")
	require.Equal(t, acme.Admin.Name, key.CreatedBy.Name)
	require.Equal(t, fixedNow, key.CreatedAt.UTC())
	token := secretIn(t, created)
	require.Equal(t, 1, strings.Count(created.Body, token.Secret),
		"to copy: the command reads it, so that it is in no history")
	require.NotContains(t, fmt.Sprint(created.Header), token.Secret[:12])
	tb.Must(w.Keys.Authenticate(t.Context(), token, nil))(t)
	b.Get(acme.Path("/settings/api-keys/new")).Has(t, `min="2026-11-22"`) // tomorrow, because today has begun
	for chosen, want := range map[[2]string]string{
		{"30", ""}:            "2026-12-21T00:00:00Z",
		{"365", ""}:           "2027-11-21T00:00:00Z",
		{"never", ""}:         "null",
		{"day", "2026-11-22"}: "2026-11-22T00:00:00Z",
		{"day", "2199-12-31"}: "2199-12-31T00:00:00Z",
	} {
		maps.Copy(sent, testkit.Form("expiry", chosen[0], "day", chosen[1]))
		k := createdKey(t, w, acme, b.Post(acme.Path("/settings/api-keys/new"), sent))
		require.Equal(t, want, strings.Trim(string(tb.Must(json.Marshal(k.ExpiresAt))(t)), `"`), chosen)
	}
	sent["scopes"] = []string{"reports:read"} // without this scope the sample command would be refused
	b.Post(acme.Path("/settings/api-keys/new"), sent).Is(t, 200).Lacks(t, "curl")
}

// A form sent twice, as without JavaScript, creates one key. The second response redirects to it.
func TestDoubleSubmitCreatesOneKey(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	path := acme.Path("/settings/api-keys/new")
	form := b.Get(path)
	sent := webtest.NewKeyForm()
	sent.Set("id", testkit.Submatch(t, `name="id" value="([0-9A-Za-z]{22})"`, form.Body))
	require.Equal(t, sent.Get("id"), createdKey(t, w, acme, b.Post(path, sent)).ID)
	for range 2 {
		testkit.RequireRedirect(t, acme.Path("/settings/api-keys/%s", sent.Get("id")), b.Post(path, sent))
	}
	require.Equal(t, 1, w.DB.CountRows(`api_keys where org_id = $1`, acme.ID))
	b.Get(acme.Path("/settings/api-keys/%s", sent.Get("id"))).Has(t, "This form was sent twice")
	for _, malformed := range []string{"", "x", sent.Get("id") + "\n"} {
		sent.Set("id", malformed)
		b.Post(path, sent).Is(t, 200)
	}
}

// The error of an invalid field is shown above the form and at the field. The form keeps the name.
func TestInvalidKeyFormIsRejected(t *testing.T) {
	w, acme := webtest.StartAt(t, new(fixedNow))
	b := w.SignIn(t, acme.Owner)
	for _, c := range []struct{ change, field, message string }{
		{"name=", "name", "Enter a name."},
		{"name=" + strings.Repeat("é", 201), "name", "The name is too long. Use 200 characters or fewer."},
		{"name=a%00b", "name", "contains invalid characters"},
		{"name=Power%E2%80%8BBI", "name", "contains characters that cannot be seen"},
		{"description=" + apikeys.NewToken().String(), "description", "The description seems to contain an API key"},
		{"scopes=", "scopes", "at least one scope"},
		{"expiry=", "expiry", "Choose when the key expires."},
		{"expiry=day", "day", "Enter a date from 2000 to 2199"},
		{"expiry=day&day=2026-11-21", "day", "21 Nov 2026 has begun. Choose a later date."},
		{"day=2026-12-31", "day", "“On a date” is not selected"},
	} {
		form := webtest.NewKeyForm()
		maps.Copy(form, tb.Must(url.ParseQuery(c.change))(t))
		p := b.Post(acme.Path("/settings/api-keys/new"), form).Is(t, 400).Has(t, "<strong>1 thing to fix.</strong>",
			`<li><a href="#`+c.field+`">`, ` id="`+c.field+`"`, `<p class="error" id="`+c.field+`-error">`)
		require.Contains(t, html.UnescapeString(p.Body), c.message)
		require.Regexp(t, `aria-describedby="[^"]*`+c.field+`-error"`, p.Body)
		require.Contains(t, p.Body, `value="`+strings.ReplaceAll(form.Get("name"), "\x00", "\uFFFD")+`"`)
	}
	require.Empty(t, w.AllKeys(t, acme))
}

// doc.go: the form has the old key's values and lifetime. The overlap is a day, or less if the old key expires earlier.
func TestReplacementHasTheValuesOfTheOldKey(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	page := func() testkit.Page { return b.Get(acme.Path("/settings/api-keys/%s/replace", key.ID)).Is(t, 200) }
	for lifetime, chosen := range map[string]string{
		"null": `value="never" aria-describedby="xneverh" checked`,
		"created_at + interval '29 days 3 hours'": `value="30" aria-describedby="x30h" checked`,
		"created_at + interval '365 days'":        `value="365" aria-describedby="x365h" checked`,
		"created_at + interval '41 days'":         `value="` + today.AddDate(0, 0, 41).Format(time.DateOnly) + `"`,
	} {
		w.DB.Exec(`update api_keys set expires_at = `+lifetime+` where id = $1`, key.ID)
		page().Has(t, chosen, `value="BI"`, `value="forks:read" aria-describedby="sf-h" checked`,
			`value="day" aria-describedby="odayh" checked`).Lacks(t, `aria-describedby="sr-h" checked`)
	}
	ends := time.Now().Add(5 * time.Hour).UTC()
	w.DB.Exec(`update api_keys set expires_at = $2 where id = $1`, key.ID, ends)
	require.Equal(t, 3, strings.Count(page().Body, `datetime="`+ends.Format("2006-01-02T15:04")),
		"the expiry, in a day, in a week")
	w.DB.Exec(`update api_keys set expires_at = created_at + interval '45 days' where id = $1`, key.ID)
	form := webtest.ReplacementForm("now") // in 90 days; without script, the unchanged day is sent too
	form.Set("day", testkit.Submatch(t, `name="day" [^>]*value="([-0-9]+)"`, page().Body))
	b.Post(acme.Path("/settings/api-keys/%s/replace", key.ID), form).Has(t, ">Key replaced</h1>")
}

// A replacement shows the new key once, and when the old key stops. Until then, the list has the old key under the new.
func TestKeyIsReplaced(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	old := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	w.NewKey(t, acme, "Between", apikeys.ForksRead)
	path := acme.Path("/settings/api-keys/%s/replace", old.ID)
	for _, overlap := range []string{"", "year"} {
		b.Post(path, webtest.ReplacementForm(overlap)).Is(t, 400).Has(t, "Choose when the old key stops.")
	}
	form := webtest.ReplacementForm("hour")
	form.Set("name", "Power BI")
	form.Set("id", testkit.Submatch(t, `name="id" value="([0-9A-Za-z]{22})"`, b.Get(path).Body))
	page := b.Post(path, form).Has(t, ">Key replaced</h1>", "<dt>Old key</dt><dd>Stops <time")
	key := createdKey(t, w, acme, page)
	require.Equal(t, []string{"Power BI", old.ID}, []string{key.Name, key.Replaces})
	require.Equal(t, [][]string{{"Power BI"}, {"BI"}, {"Between"}},
		testkit.Submatches(`data-name>([^<]+)<`, b.Get(acme.Path("/settings/api-keys")).Body))

	testkit.RequireRedirect(t, acme.Path("/settings/api-keys/%s", key.ID), b.Post(path, form)) // sent twice
	for _, p := range []testkit.Page{b.Get(path), b.Post(path, webtest.ReplacementForm("hour"))} {
		p.Is(t, 403).Has(t, "was already replaced").Lacks(t, "data-secret")
	}
	b.Post(acme.Path("/settings/api-keys/%s/replace", key.ID), webtest.ReplacementForm("now")).Has(t,
		"<dt>Old key</dt><dd>No longer works</dd>")
}
