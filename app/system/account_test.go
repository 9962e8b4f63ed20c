package system

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/platform/testkit"
)

// dg account reset prints a link. The log of each of the person's organisations records it, in the same transaction.
func TestAccountResetPrintsALink(t *testing.T) {
	t.Parallel()
	dg := serveDemo(t)
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	dg.db.Exec(`insert into memberships (org_id, user_id, role) select o.id, u.id, 'member'
		from organisations o, users u where o.slug = 'atelier-north-light' and u.email_key = $1`, tomas.Email)
	apptest.RequireRefusal(t, "dg: No account has the e-mail", dg.dir, "account", "reset", "nobody@example.com")
	resetCommand := []string{"account", "reset", strings.ToUpper(tomas.Email), "--base-url", dg.ListenURL}
	out := apptest.RequireSuccess(t, dg.dir, resetCommand...)
	require.Contains(t, out, "turns two-step verification off")
	link := apptest.ResetLinkPattern.FindStringSubmatch(out)
	require.NotNil(t, link, out)
	require.Equal(t, "strict-origin", testkit.NewBrowser(t, dg.ListenURL).Get(link[2]).Is(t, 200).Header.Get(
		"Referrer-Policy"), "the log of a proxy has the Referer of the page's style")
	require.Equal(t, "atelier-north-light operator CLI dg account reset Tomás Okafor, "+
		"harbour-and-vale operator CLI dg account reset Tomás Okafor",
		testkit.Query[string](dg.db, `select string_agg(distinct
			concat_ws(' ', o.slug, actor_kind, method, e.path, details->>'name'), ', ')
		from audit_entries e join organisations o on o.id = e.org_id
		where e.action = 'account.reset_created' and e.target_kind = 'person'
		and (details->>'until')::timestamptz = (select date_trunc('second', expires_at) from account_resets)`))
	dg.db.Exec(`update users set password_since = null, totp_secret = null where email_key = $1`, tomas.Email)
	out = apptest.RequireSuccess(t, dg.dir, resetCommand...)
	require.Contains(t, out, "Its use ends all sessions.", "an imported password is one too")
	link = apptest.ResetLinkPattern.FindStringSubmatch(out)
	require.Contains(t, dg.GetBody(link[2], ""), "This ends all your sessions.")

	dg.db.Exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
	require.NotRegexp(t, apptest.ResetLinkPattern, apptest.RequireRefusal(t, "", dg.dir, resetCommand...))
	require.Equal(t, 1, dg.db.CountRows(`account_resets where token_hash = sha256($1)`, []byte(link[3])), "it stays")
}

var (
	firstSecretKey  = strings.Repeat("P", 42) + "A="
	secondSecretKey = strings.Repeat("H", 42) + "A="
)

// operations.md, Secret key: with a key, secrets are stored encrypted. Two instances replace the key while they serve.
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
	dg := serveDemo(t, "--secret-key", firstSecretKey)
	wrongKey := []string{"--secret-key", secondSecretKey}
	for _, command := range [][]string{{"demo"}, {"import", "/dev/null"}, {"migrate"}} {
		apptest.RequireRefusal(t, "set DG_SECRET_KEY to that key", dg.dir, append(command, wrongKey...)...)
	}
	dg.Stop()
	apptest.RequireSuccess(t, dg.dir, "migrate") // succeeds without a key, because it stores no secret
	require.Contains(t,
		apptest.RequireSuccess(t, dg.dir, append([]string{"migrate", "--forget-secret-key"}, wrongKey...)...),
		"reset the accounts")
	restarted := apptest.ServeOn(t, dg.dir, wrongKey...)
	require.NotContains(t, restarted.Log.String(), "@", "the log has no e-mail address")
	restarted.Stop()
	require.Regexp(t, `warning +secrets +\d two-step secrets cannot be decrypted, those of .*tomas@harbour.*: set`,
		apptest.RequireSuccess(t, dg.dir, append([]string{"doctor"}, wrongKey...)...))
	apptest.ServeOn(t, dg.dir, "--secret-key", firstSecretKey, "--secret-key-previous", secondSecretKey)
	require.Regexp(t, `ok +secrets`, apptest.RequireSuccess(t, dg.dir, "doctor", "--secret-key", firstSecretKey))
}

// README, Try it: the printed curl line works. A kill -9 of dg loses nothing. dg exits if its PostgreSQL is killed.
func TestDemoSurvivesAKill(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	dg := apptest.ServeOn(t, dir, "--demo")
	firstKey := dg.DemoToken()
	body := runCurlLine(t, dg.Out.String())
	require.Equal(t, 6, strings.Count(body, `"gameId"`))
	dg.GetBody("/healthz", "")
	demoOutput := apptest.RequireSuccess(t, dir, "demo", "--base-url", dg.ListenURL)
	require.False(t, dg.Accepts(firstKey), "the first key is revoked")
	require.Equal(t, body, runCurlLine(t, demoOutput))
	server := apptest.PostmasterPID(t, dir)
	dg.Kill()

	restarted := apptest.ServeOn(t, dir, "--demo")
	require.Equal(t, server, apptest.PostmasterPID(t, dir))
	require.Equal(t, body, runCurlLine(t, restarted.Out.String()))
	for _, greeting := range []string{dg.Out.String(), demoOutput, restarted.Out.String()} {
		key := apptest.DemoKeyPattern.FindString(greeting)
		require.NotContains(t, dg.Log.String()+restarted.Log.String(), key[len(key)-49:], "no secret in the log")
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

	dg := serveDemo(t)
	dir = dg.dir
	refused("dg account reset", "serve")
	lastEmail := demo.Accounts[len(demo.Accounts)-1].Email
	dg.db.Exec(`update users set password_hash = $1 where email_key <> $2`, testkit.PasswordHash, lastEmail)
	refused("published passwords: "+lastEmail+": use another database", "serve")
	dg.db.Exec(`update users set password_hash = null where email_key = $1`, lastEmail)
	public := apptest.ServeOn(t, dir, "--base-url", "https://dg.example.org")
	require.Contains(t, public.Out.String(), "https://dg.example.org")
}
