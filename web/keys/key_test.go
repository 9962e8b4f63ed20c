package keys_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// usageOf stores the number of a key's requests on a day.
func usageOf(
	w *webtest.World, o *webtest.Organisation, k apikeys.Key, daysAgo int, accepted, refused,
	limited int64,
) {
	w.DB.Exec(`insert into api_key_usage (org_id, key_id, day, accepted, refused, limited)
		values ($1, $2, (now() at time zone 'utc')::date - $3::int, $4, $5, $6)`, o.ID, k.ID,
		daysAgo, accepted, refused, limited)
}

// A key's page has its properties, its requests by day as bars and as a table, and its actions.
func TestKeyPage(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	ends := time.Now().Add(300 * 24 * time.Hour)
	key, token, err := w.Keys.Manager.Create(t.Context(), acme.AsOwner(), apikeys.NewKey{
		Name:        "Warehouse",
		Description: "Ask <b>Ann</b>",
		Scopes:      []apikeys.Scope{apikeys.ReportsRead},
		ExpiresAt:   &ends,
	}, audit.Request{})
	require.NoError(t, err)
	path := acme.At("/settings/api-keys/%s", key.ID)
	b.Get(acme.At("/settings/api-keys")).Has(t,
		`<a href="`+path+`"><bdi data-name>Warehouse</bdi></a>`)
	p := b.Get(path).Is(t, 200)
	p.Has(t, "<h1><bdi>Warehouse</bdi></h1>", "Ask &lt;b&gt;Ann&lt;/b&gt;", "dg_live_"+key.ID+"_…",
		"<dd>Reports</dd>", `<span class="state on">Active</span> <span>Until <time`,
		"by <bdi>owner of acme</bdi>", "<dt>Last used</dt><dd>Never</dd>",
		"No requests in the last 30 days.", path+"/replace", path+"/rename", path+"/revoke",
		acme.At("/settings/audit-log?key=%s", key.ID))
	p.Lacks(t, token.Secret, "<svg class=\"low\"")
	w.DB.Exec(`update api_keys set last_used_at = now() where id = $1`, key.ID)
	p = b.Get(path)
	p.Has(t, "The last request is not counted yet.").Lacks(t, "No requests")

	usageOf(w, acme, key, 0, 1204, 3, 1)
	usageOf(w, acme, key, 29, 10, 0, 0)
	usageOf(w, acme, key, 30, 1_000_000, 0, 0)
	p = b.Get(path).Has(t, "<p>1,214 accepted, 3 refused, 1 limited</p>")
	today := time.Now().UTC().Format("Mon 2 Jan 2006")
	p.Has(t, "<title>"+today+": 1,204 accepted, 3 refused, 1 limited</title>")
	require.Contains(t, webtest.Words(p.Body), today+" 1,204 3 1")
	require.Equal(t, 31, strings.Count(p.Body, `<tr><th scope="`))
	p.Has(t, "Upper part of a bar: requests refused, or limited")
	require.Equal(t, 1, strings.Count(p.Body, `class="rejected"`)-1, "two days have a bar")
	b.Get(acme.At("/settings/audit-log?key=%s", key.ID)).Has(t, "Key created")
}

// A key that does not work or was replaced cannot be replaced. A revoked key can only be renamed.
func TestKeyPageOffersWhatCanBeDone(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	now := time.Now()
	for name, c := range map[string]struct {
		change string
		person fixtures.Person
		offers string
	}{
		"usable":           {"name = name", acme.Owner, "/replace /rename /revoke"},
		"without two-step": {"name = name", acme.AdminPlain, "/revoke"},
		"replaced":         {"revoked_at = now() + interval '1 d'", acme.Admin, "/rename /revoke"},
		"revoked":          {"revoked_at = now()", acme.Owner, "/rename"},
		"expired": {
			"created_at = now() - interval '2 d', expires_at = now() - interval '1 d'", acme.Owner,
			"/rename",
		},
		"replaced and expired": {
			"revoked_at = now() + interval '1 d', expires_at = now()", acme.Owner, "/rename",
		},
	} {
		key := w.NewKey(t, acme, name, apikeys.ForksRead)
		w.DB.Exec(`update api_keys set `+c.change+` where id = $1`, key.ID)
		path := acme.At("/settings/api-keys/%s", key.ID)
		p := w.SignedIn(t, c.person).Get(path).Is(t, 200)
		offered := []string{}
		for _, below := range []string{"/replace", "/rename", "/revoke"} {
			if strings.Contains(p.Body, `href="`+path+below+`"`) {
				offered = append(offered, below)
			}
		}
		require.Equal(t, c.offers, strings.Join(offered, " "), name)
		if name == "replaced" {
			stops := now.Add(24 * time.Hour).UTC().Format("2 Jan 2006")
			require.Contains(t, webtest.Words(p.Body), "Status Replaced Stops on "+stops)
			list := func() string {
				return row(t, w.SignedIn(t, acme.Owner).Get(acme.At("/settings/api-keys")), name)
			}
			require.Contains(t, list(), "Replaced Stops on "+stops)
			w.DB.Exec(`update organisations set plan = 'team' where id = $1`, acme.ID)
			require.Contains(t, list(), "Paused by plan Stops on "+stops)
			w.DB.Exec(`update organisations set plan = 'pro' where id = $1`, acme.ID)
		}
	}
}

// A key is renamed by a form that keeps invalid texts, and the log has its old name.
func TestKeyIsRenamed(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	b := w.SignedIn(t, acme.Admin)
	path := acme.At("/settings/api-keys/%s", key.ID)
	b.Get(path+"/rename").Has(t,
		`name="name" maxlength="200" required autocomplete="off" value="BI"`)

	b.Post(path+"/rename",
		url.Values{"name": {"  "}, "description": {strings.Repeat("é", 201)}}).Is(t, 400).Has(t,
		"Enter a name.", "The description has 201 characters. Use 200 or fewer.",
		"<title>Error: Edit key")
	require.Equal(t, "BI", w.AllKeys(t, acme)[0].Name)

	done := b.Post(path+"/rename",
		url.Values{"name": {" Power BI "}, "description": {" For Ann "}}).Is(t, 303)
	require.Equal(t, path, done.Header.Get("Location"))
	b.Get(path).Has(t, "<h1><bdi>Power BI</bdi></h1>", `<bdi>For Ann</bdi>`)
	b.Get(acme.At("/settings/audit-log?key=%s", key.ID)).Has(t, "Key renamed", "Old name: <bdi>BI")
}

// A replacement renews: it lives as long as its key did, from today, unless its form says otherwise
// (rules.md, Keys).
func TestReplacementRenewsTheExpiry(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for life, chosen := range map[string]string{
		"null": `value="never" aria-describedby="xneverh" checked`,
		"created_at + interval '29 days 3 hours'": `value="30" aria-describedby="x30h" checked`,
		"created_at + interval '365 days'":        `value="365" aria-describedby="x365h" checked`,
		"created_at + interval '41 days'": `value="` +
			today.AddDate(0, 0, 41).Format(time.DateOnly) + `"`,
	} {
		key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
		w.DB.Exec(`update api_keys set expires_at = `+life+` where id = $1`, key.ID)
		b.Get(acme.At("/settings/api-keys/%s/replace", key.ID)).Has(t, chosen)
	}
	path := acme.At("/settings/api-keys/%s/replace", w.AllKeys(t, acme)[0].ID)
	form := webtest.Replacement("now")
	form.Set("expiry", "day")
	form.Set("day", today.AddDate(0, 0, 5).Format(time.DateOnly))
	b.Post(path, form).Is(t, 200)
	for _, k := range w.AllKeys(t, acme) {
		if k.Replaces != "" {
			require.True(t, k.ExpiresAt.Equal(today.AddDate(0, 0, 5)))
		}
	}

	ends := time.Now().Add(5 * time.Hour).UTC()
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	w.DB.Exec(`update api_keys set expires_at = $2 where id = $1`, key.ID, ends)
	page := b.Get(acme.At("/settings/api-keys/%s/replace", key.ID)).Body
	require.Equal(t, 3, strings.Count(page, `datetime="`+ends.Format("2006-01-02T15:04")),
		"no overlap is longer than the key's life: its expiry, in a day, in a week")
}

// A replacement shows the new key once, says when the old one stops, and happens once however often
// the form is sent.
func TestKeyIsReplaced(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	path := acme.At("/settings/api-keys/%s/replace", key.ID)
	ask := b.Get(path).Is(t, 200).Has(t, `value="day" aria-describedby="odayh" checked`)
	form := webtest.Replacement("hour")
	form.Set("idempotencyKey",
		webtest.RegexpFind(t, `name="idempotencyKey" value="([^"]+)"`, ask.Body))

	b.Post(path, webtest.Replacement("year")).Is(t, 400).Has(t, "Choose when the old key stops.")
	unnamed := webtest.Replacement("hour")
	unnamed.Set("idempotencyKey", "x")
	bad := b.Post(path, unnamed).Is(t, 400)
	bad.Has(t, "The form was incomplete.", `aria-describedby="ohourh" checked`).
		Lacks(t, "Choose when the old key stops.")

	done := b.Post(path, form).Is(t, 200)
	done.Has(t, "<h1>Key replaced</h1>", "<dt>Old key works until</dt><dd><time")
	token := secretIn(t, done)
	require.Equal(t, "no-store", done.Header.Get("Cache-Control"))

	again := b.Post(path, form).Has(t, "has already been created.")
	again.Lacks(t, token.Secret)
	require.Len(t, w.AllKeys(t, acme), 2)
	for _, p := range []webtest.Page{
		b.Get(path), b.Post(path, webtest.Replacement("now")),
	} {
		webtest.RequireRedirect(t, strings.TrimSuffix(path, "/replace"), p)
	}
	b.Get(acme.At("/settings/api-keys/%s", key.ID)).Has(t,
		`<dt>Replaced by</dt><dd><a class="mono" href="`+acme.At("/settings/api-keys/%s", token.ID)+`">`)
	b.Get(acme.At("/settings/api-keys/%s", token.ID)).Has(t,
		`<dt>Replaces</dt><dd><a class="mono" href="`+acme.At("/settings/api-keys/%s", key.ID)+`">`)
	b.Get(acme.At("/settings/audit-log?action=api_key.replaced")).Has(t, "Key replaced",
		"Stops at: ")

	// A person who may revoke stops the old key early.
	w.SignedIn(t, acme.AdminPlain).
		Post(acme.At("/settings/api-keys/%s/revoke", key.ID), url.Values{}).Is(t, 303)
	old, err := w.Keys.Reader.Key(t.Context(), acme.AsOwner(), key.ID)
	require.NoError(t, err)
	require.Equal(t, apikeys.RevokedKey, old.State(time.Now(), "pro"))

	at := acme.At("/settings/api-keys/%s/replace", token.ID)
	b.Post(at, webtest.Replacement("now")).Has(t, "<dt>Old key</dt><dd>No longer works</dd>")

	// Until the old key stops, both count as usable.
	w.ManyKeys(acme, "n", 99, 99)
	at = acme.At("/settings/api-keys/n%021d/replace", 1)
	b.Post(at, webtest.Replacement("week")).Is(t, 400).Has(t, "Choose “Now”, or revoke another key first.")
	b.Post(at, webtest.Replacement("now")).Is(t, 200)
}

// A key that was replaced can be stopped at once also by an instance whose clock is ahead: to it
// the key has stopped.
func TestReplacedKeyIsRevokedByAnInstanceWhoseClockIsAhead(t *testing.T) {
	t.Parallel()
	now := time.Now().Add(2 * time.Hour)
	w, acme := webtest.StartAt(t, &now)
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	w.DB.Exec(`update api_keys set revoked_at = now() + interval '1 h' where id = $1`, key.ID)
	b := w.SignedIn(t, acme.Owner)
	b.Post(acme.At("/settings/api-keys/%s/revoke", key.ID), url.Values{}).Is(t, 303)
	stopped, err := w.Keys.Reader.Key(t.Context(), acme.AsOwner(), key.ID)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), *stopped.RevokedAt, time.Minute)
}
