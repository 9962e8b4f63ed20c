package keys_test

import (
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
	p.Has(t, "<h1><bdi>Warehouse</bdi></h1>", "Ask &lt;b&gt;Ann&lt;/b&gt;", "dg_live_"+key.ID+"_…",
		"<dd>Reports</dd>", `<span class="state on">Active</span> <span>Expires <time`,
		"by <bdi>owner of acme</bdi>", "<dt>Last used</dt><dd data-used>Never</dd>",
		"No requests counted in the last 30 days.", path+"/replace", path+"/rename", path+"/revoke",
		acme.Path("/settings/audit-log?key=%s", key.ID))
	p.Lacks(t, token.Secret, "<svg class=\"low\"")
	storeUsage(w, key, 0, 1204, 3, 1)
	storeUsage(w, key, 29, 10, 0, 0)
	storeUsage(w, key, 30, 1_000_000, 0, 0)
	p = b.Get(path).Has(t, "<p>1,214 accepted, 3 refused, 1 limited</p>")
	today := time.Now().UTC().Format("Mon 2 Jan 2006")
	p.Has(t, "<title>"+today+": 1,204 accepted, 3 refused, 1 limited</title>",
		`<g class="bars" aria-hidden="true">`)
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
	b.Get(path+"/rename").Has(t, `name="name" maxlength="200" required autocomplete="off" value="BI"`)

	tooLong := strings.Repeat("é", 201)
	b.Post(path+"/rename", url.Values{"name": {"  "}, "description": {tooLong}}).Is(t, 400).Has(t, "Enter a name.",
		"The description is too long. Use 200 characters or fewer.", "<title>Error: Edit key", `value="`+tooLong+`"`)
	require.Equal(t, "BI", w.AllKeys(t, acme)[0].Name)

	page := b.Post(path+"/rename", url.Values{"name": {" Power BI "}, "description": {" For Ann "}}).Is(t, 303)
	require.Equal(t, path, page.Header.Get("Location"))
	b.Get(path).Has(t, "<h1><bdi>Power BI</bdi></h1>", `<bdi>For Ann</bdi>`)
	b.Get(acme.Path("/settings/audit-log?key=%s", key.ID)).Has(t, "Key renamed", "Old name: <bdi>BI")
}

// A replaced key can be revoked at once, even on an instance whose clock shows the overlap as ended.
func TestReplacedKeyIsRevokedByAnInstanceWhoseClockIsAhead(t *testing.T) {
	now := time.Now().Add(2 * time.Hour)
	w, acme := webtest.StartAt(t, &now)
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	w.DB.Exec(`update api_keys set revoked_at = now() + interval '1 h' where id = $1`, key.ID)
	b := w.SignIn(t, acme.Owner)
	b.Post(acme.Path("/settings/api-keys/%s/revoke", key.ID), url.Values{}).Is(t, 303)
	revoked := tb.Must(w.Keys.Key(t.Context(), acme.AsOwner(), key.ID))(t)
	require.WithinDuration(t, time.Now(), *revoked.RevokedAt, time.Minute)
}

// The confirmation shows the key, its last use and the effect, without JavaScript. Revoking again changes nothing.
func TestKeyIsRevokedAfterConfirmation(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Minute)
	w, acme := webtest.StartAt(t, &now)
	key := w.NewKey(t, acme, "Warehouse, nightly export", apikeys.ReportsRead)
	used := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	updateKey(t, w, used, now.Add(-time.Hour), now.Add(-time.Minute), nil, nil)
	b := w.SignIn(t, acme.AdminPlain)
	path := acme.Path("/settings/api-keys/%s/revoke", key.ID)
	b.Get(path).Is(t, 200).Has(t, "<h1>Revoke “<bdi>Warehouse, nightly export</bdi>”?</h1>",
		"Every tool that uses this key loses access immediately and for good.",
		"<dt>Last used</dt><dd>Never</dd>", "dg_live_"+key.ID+"_…",
		`href="`+acme.Path("/settings/api-keys/%s", key.ID)+`" autofocus>Cancel</a>`)
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
}
