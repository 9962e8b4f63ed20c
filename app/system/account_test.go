package system

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/platform/testkit"
)

// dg account reset prints a link. The log of each of the person's organisations records it, in the same transaction.
func TestAccountResetPrintsALink(t *testing.T) {
	t.Parallel()
	d := serveDemo(t)
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	d.db.Exec(`insert into memberships (org_id, user_id, role) select o.id, u.id, 'member' from organisations o, users u
		where o.slug = 'atelier-north-light' and u.email_key = $1`, tomas.Email)
	apptest.RequireRefusal(t, "dg: No account has the e-mail", d.dir, "account", "reset", "nobody@example.com")
	resetCommand := []string{"account", "reset", strings.ToUpper(tomas.Email), "--base-url", d.ListenURL}
	out := apptest.RequireSuccess(t, d.dir, resetCommand...)
	require.Contains(t, out, "turns two-step verification off")
	link := apptest.ResetLinkPattern.FindStringSubmatch(out)
	require.NotNil(t, link, out)
	require.Equal(t, "strict-origin", testkit.NewBrowser(t, d.ListenURL).Get(link[2]).Is(t, 200).Header.Get(
		"Referrer-Policy"), "the log of a proxy has the Referer of the page's style")
	require.Equal(t, "atelier-north-light operator CLI dg account reset Tomás Okafor, "+
		"harbour-and-vale operator CLI dg account reset Tomás Okafor",
		testkit.Query[string](d.db, `select string_agg(distinct
			concat_ws(' ', o.slug, actor_kind, method, e.path, details->>'name'), ', ')
		from audit_entries e join organisations o on o.id = e.org_id
		where e.action = 'account.reset_created' and e.target_kind = 'person'
		and (details->>'until')::timestamptz = (select date_trunc('second', expires_at) from account_resets)`))
	d.db.Exec(`update users set password_since = null, totp_secret = null where email_key = $1`, tomas.Email)
	out = apptest.RequireSuccess(t, d.dir, resetCommand...)
	require.Contains(t, out, "Its use ends all sessions.", "an imported password is one too")
	link = apptest.ResetLinkPattern.FindStringSubmatch(out)
	require.Contains(t, d.GetBody(link[2], ""), "This ends all your sessions.")

	d.db.Exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	require.NotRegexp(t, apptest.ResetLinkPattern, apptest.RequireRefusal(t, "", d.dir, resetCommand...))
	require.Equal(t, 1, d.db.CountRows(`account_resets where token_hash = sha256($1)`, []byte(link[3])), "the link stays")
}

var (
	firstSecretKey  = strings.Repeat("P", 42) + "A="
	secondSecretKey = strings.Repeat("H", 42) + "A="
)

// operations.md, Secret key: every secret is stored encrypted. Two instances change the key while they serve.
func TestTwoStepSecretsAreEncrypted(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	apptest.CopyDemo(t, dir)
	db := apptest.OpenAdminDB(t, dir)
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	inClear := func(db *testkit.World) bool {
		return strings.Contains(apptest.DumpTable(db, "users"), tomas.TOTPSecret)
	}
	const key, previous = "--secret-key", "--secret-key-previous"
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
			apptest.SignIn(t, c.ListenURL, tomas)
		}
	}
	importedDir := apptest.NewFolder(t)
	apptest.RequireSuccess(t, importedDir, "demo", key, firstSecretKey)
	require.False(t, inClear(apptest.OpenAdminDB(t, importedDir)))
}

// operations.md, Secret key: commands that read or write secrets refuse a wrong key. A lost key can be given up.
func TestWrongSecretKeyIsRefused(t *testing.T) {
	t.Parallel()
	d := serveDemo(t, "--secret-key", firstSecretKey)
	wrongKey := []string{"--secret-key", secondSecretKey}
	for _, command := range [][]string{{"demo"}, {"import", "/dev/null"}, {"migrate"}} {
		apptest.RequireRefusal(t, "set DG_SECRET_KEY to that key", d.dir, append(command, wrongKey...)...)
	}
	d.Stop()
	apptest.RequireSuccess(t, d.dir, "migrate") // succeeds without a key, because it stores no secret
	require.Contains(t,
		apptest.RequireSuccess(t, d.dir, append([]string{"migrate", "--forget-secret-key"}, wrongKey...)...),
		"reset the accounts")
	served := apptest.ServeOn(t, d.dir, wrongKey...)
	require.NotContains(t, served.Log.String(), "@", "the log has no e-mail address")
	served.Stop()
	require.Regexp(t, `warning +secrets +\d two-step secrets cannot be decrypted, those of .*tomas@harbour.*: set`,
		apptest.RequireSuccess(t, d.dir, append([]string{"doctor"}, wrongKey...)...))
	apptest.ServeOn(t, d.dir, "--secret-key", firstSecretKey, "--secret-key-previous", secondSecretKey)
	require.Regexp(t, `ok +secrets`, apptest.RequireSuccess(t, d.dir, "doctor", "--secret-key", firstSecretKey))
}

// README, Try it: the printed curl line works. A kill -9 of dg loses nothing. dg exits when its server is killed.
func TestDemoSurvivesAKill(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir, "--demo")
	firstKey := c.DemoToken()
	body := runCurlLine(t, c.Out.String())
	require.Equal(t, 6, strings.Count(body, `"gameId"`))
	c.GetBody("/healthz", "")
	demoOutput := apptest.RequireSuccess(t, dir, "demo", "--base-url", c.ListenURL)
	require.False(t, c.Accepts(firstKey), "the first key is revoked")
	require.Equal(t, body, runCurlLine(t, demoOutput))
	server := apptest.PostmasterPID(t, dir)
	c.Kill()

	restarted := apptest.ServeOn(t, dir, "--demo")
	require.Equal(t, server, apptest.PostmasterPID(t, dir))
	require.Equal(t, body, runCurlLine(t, restarted.Out.String()))
	for _, greeting := range []string{c.Out.String(), demoOutput, restarted.Out.String()} {
		key := apptest.DemoKeyPattern.FindString(greeting)
		require.NotContains(t, c.Log.String()+restarted.Log.String(), key[len(key)-49:], "no secret in the log")
	}
	require.NoError(t, syscall.Kill(server, syscall.SIGKILL))
	require.Equal(t, 1, restarted.ExitStatus(15*time.Second), "a supervisor restarts both")
	require.Regexp(t, `dg: the embedded PostgreSQL has ended: see ".*/postgres\.log"`, restarted.Log.String())
	apptest.ServeOn(t, dir).Stop()
	require.Empty(t, apptest.ProcessesOn(t, dir))
}

// rules.md, Data: the demo's passwords are published, so dg serves its accounts only on loopback.
func TestDemoAccountsAreNotServedInPublic(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	refused := func(message string, command ...string) {
		apptest.RequireRefusal(t, message, dir, append(command, "--base-url", "https://dg.example.org")...)
		command = append(command, "--addr", "0.0.0.0:0", "--base-url", "http://127.0.0.1:8080")
		apptest.RequireRefusal(t, message, dir, command...)
	}
	refused("the passwords of the demo are published", "serve", "--demo")
	refused("the passwords of the demo are published", "demo")
	require.Zero(t, testkit.Query[int](apptest.OpenAdminDB(t, dir), `
		select count(*) from pg_tables where schemaname = 'public'`))

	d := serveDemo(t)
	dir = d.dir
	refused("dg account reset", "serve")
	otherHash, err := argon2id.CreateHash("a password of their own", argon2id.DefaultParams)
	require.NoError(t, err)
	lastEmail := demo.Accounts[len(demo.Accounts)-1].Email
	d.db.Exec(`update users set password_hash = $1 where email_key <> $2`, otherHash, lastEmail)
	refused("published passwords: "+lastEmail+": use another database", "serve")
	d.db.Exec(`update users set password_hash = null where email_key = $1`, lastEmail)
	public := apptest.ServeOn(t, dir, "--base-url", "https://dg.example.org")
	require.Contains(t, public.Out.String(), "https://dg.example.org")
}
