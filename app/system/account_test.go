package system

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// dg account reset prints a link. The log of each of the person's organisations has an entry, which
// commits with the link. TestSecretsAppearNowhere uses one in a browser.
func TestAccountResetPrintsALink(t *testing.T) {
	t.Parallel()
	d := serveDemo(t)
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	d.db.Exec(`insert into memberships (org_id, user_id, role)
		select o.id, u.id, 'member' from organisations o, users u
		where o.slug = 'atelier-north-light' and u.email_key = $1`, tomas.Email)
	apptest.Refuses(t, "dg: No account has the e-mail", d.dir, "account", "reset", "nobody@example.com")
	reset := []string{"account", "reset", strings.ToUpper(tomas.Email), "--base-url", d.URL}
	out := apptest.Succeeds(t, d.dir, reset...)
	require.Contains(t, out, "turns two-step verification off")
	link := apptest.ResetLink.FindStringSubmatch(out)
	require.NotNil(t, link, out)
	require.Equal(t, "atelier-north-light operator CLI dg account reset Tomás Okafor, "+
		"harbour-and-vale operator CLI dg account reset Tomás Okafor",
		testkit.One[string](d.db, `select string_agg(distinct
			concat_ws(' ', o.slug, actor_kind, method, e.path, details->>'name'), ', ')
		from audit_entries e join organisations o on o.id = e.org_id
		where e.action = 'account.reset_created' and e.target_kind = 'person'
		and (details->>'until')::timestamptz = (select date_trunc('second', expires_at) from account_resets)`))

	d.db.Exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	require.NotRegexp(t, apptest.ResetLink, apptest.Refuses(t, "", d.dir, reset...))
	require.True(t, testkit.One[bool](d.db, `select token_hash = sha256($1) from account_resets`,
		[]byte(link[3])), "the first link stays")
}

var (
	firstSecretKey  = strings.Repeat("P", 42) + "A="
	secondSecretKey = strings.Repeat("H", 42) + "A="
)

// rules.md, Data; operations.md, Settings: with a secret key no two-step secret is stored in clear,
// neither an older nor an imported one. Two instances get the key and its successor in turn while
// they serve.
func TestTwoStepSecretsAreEncrypted(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	apptest.CopyDemo(t, dir)
	db := apptest.OpenAdminDB(t, dir)
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	inClear := func(dir *testkit.World) bool {
		return strings.Contains(apptest.Dump(dir, "users"), tomas.TOTPSecret)
	}
	const key = "--secret-key"
	const previous = "--secret-key-previous"
	var instances [2]*apptest.Child
	for i, keys := range [][]string{
		{}, {previous, firstSecretKey}, {key, firstSecretKey, previous, secondSecretKey},
		{key, secondSecretKey, previous, firstSecretKey}, {key, secondSecretKey},
	} {
		if instances[i%2] != nil {
			instances[i%2].Stop()
		}
		instances[i%2] = apptest.ServeOn(t, dir, keys...)
		require.Equal(t, i < 2, inClear(db), "%v", keys)
		for _, secret := range []string{firstSecretKey, secondSecretKey, tomas.TOTPSecret} {
			require.NotContains(t, instances[i%2].Log.String(), secret)
		}
		for _, c := range instances[:min(i+1, 2)] {
			db.Exec(`update users set totp_last_step = 0 where totp_secret is not null`)
			apptest.SignedIn(t, c.URL, tomas)
		}
	}
	imported := apptest.NewFolder(t)
	apptest.Succeeds(t, imported, "demo", key, firstSecretKey)
	require.False(t, inClear(apptest.OpenAdminDB(t, imported)))
}

// rules.md, Data: commands that read or write secrets refuse to start without the database's key;
// TestDoctorAndServeFindFaults has dg serve and dg doctor. A lost key can be given up.
func TestWrongSecretKeyIsRefused(t *testing.T) {
	t.Parallel()
	d := serveDemo(t, "--secret-key", firstSecretKey)
	wrong := []string{"--secret-key", secondSecretKey}
	for _, command := range [][]string{{"demo"}, {"import", "/dev/null"}, {"migrate"}} {
		apptest.Refuses(t, "set DG_SECRET_KEY to that key", d.dir, append(command, wrong...)...)
	}
	d.Stop()
	apptest.Succeeds(t, d.dir, "migrate") // without a key it stores no secret
	out := apptest.Succeeds(t, d.dir, append([]string{"migrate", "--forget-secret-key"}, wrong...)...)
	require.Contains(t, out, "reset the accounts")
	apptest.ServeOn(t, d.dir, wrong...).Stop()
	apptest.ServeOn(t, d.dir, "--secret-key", firstSecretKey, "--secret-key-previous", secondSecretKey)
	out = apptest.Succeeds(t, d.dir, "doctor", "--secret-key", firstSecretKey)
	require.Regexp(t, `ok +secrets`, out, "it is found again")
}
