package system

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/modules/apikeys"
	"dg/platform/testkit"
)

const (
	databasePassword = "hunter2-Tr0ub4dor"
	totpSecret       = "KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU"
)

type outputs map[string]string // texts by their place

var secretShapes = map[string]*regexp.Regexp{
	"a key":                   regexp.MustCompile(`dg_live_[0-9A-Za-z]{20,}_[0-9A-Za-z]{40,}`),
	"a password hash":         regexp.MustCompile(`\$argon2id\$v=\d+\$m=\d`),
	"a session's cookie":      regexp.MustCompile(`__Host-[a-z-]+=[0-9A-Za-z_-]{16,}`),
	"a password of a URL":     regexp.MustCompile(`postgres(?:ql)?://[^:@/\s]+:[^@\s]*[^@x*\s][^@\s]*@`),
	"the address of a secret": regexp.MustCompile(`otpauth://`),
}

func (o outputs) requireNoSecrets(t *testing.T, secrets map[string]string, shapes map[string]*regexp.Regexp) {
	patterns := maps.Clone(shapes)
	for name, secret := range secrets {
		require.Greater(t, len(secret), 12, name)
		patterns[name] = regexp.MustCompile(regexp.QuoteMeta(secret))
	}
	for where, text := range o {
		require.NotEmpty(t, text, where)
		for name, shape := range patterns {
			if at := shape.FindStringIndex(text); at != nil {
				t.Errorf("%s is in %s: …%s…", name, where, text[max(0, at[0]-200):at[1]])
			}
		}
	}
}

// secretWorld is a running dg whose callers and people use all of their secrets.
type secretWorld struct {
	*apptest.Child
	databaseFlags []string // flags for its URLs and its secret key
	secrets       map[string]string
	pages         outputs // texts in which nothing may look like a secret
}

// rules.md, Keys; /docs/security, Logs: no secret is stored in clear, logged, or shown a second time.
func TestSecretsAppearNowhere(t *testing.T) {
	t.Parallel()
	pg := apptest.NewExternalServer(t)
	db := pg.World
	db.Exec(`alter role all set log_statement = 'all'`)
	world := &secretWorld{pages: outputs{}, secrets: map[string]string{
		"the secret key":          strings.Repeat("5e", 21) + "A=",
		"the database's password": databasePassword,
		"a TOTP secret":           totpSecret,
		"a password hash":         testkit.PasswordHash[30:],
	}}
	world.databaseFlags = []string{"--database-url", pg.URLAs(url.UserPassword("dg_app", databasePassword)),
		"--migrate-database-url", pg.URLAs(url.UserPassword("dg_owner", databasePassword)),
		"--secret-key", world.secrets["the secret key"]}
	world.Child = apptest.ServeWith(t, append([]string{"--log-level", "debug", "--demo"}, world.databaseFlags...)...)
	demoKey, ok := apikeys.ParseToken(world.DemoToken())
	require.True(t, ok)
	world.secrets["the demo key's secret"] = demoKey.Secret
	// the greeting shows the key twice: alone and in the curl line
	greeting := outputs{"the greeting": strings.Replace(world.Out.String(), demoKey.Secret, "", 2)}
	greeting.requireNoSecrets(t, world.secrets, secretShapes)
	world.importSecrets(t)
	maren := apptest.DemoAccount(t, "maren@harbour.example.com")
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	world.secrets["maren's password"], world.secrets["tomas's password"] = maren.Password, tomas.Password
	world.secrets["tomas's secret"] = tomas.TOTPSecret
	world.failSignIns(t, tomas) // first, because the log only samples unauthenticated requests after many of them
	world.enrolTwoStep(t, maren)
	world.resetPassword(t, tomas)
	world.useKeys(t, db)

	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2",
		"/debug/pprof/heap?debug=1", "/debug/pprof/allocs?debug=1"} {
		world.pages[path] = fetchAll(t, "http://"+world.OpsAddress+path)
	}
	world.pages["dg doctor"] = apptest.RequireExit(t, 0, append([]string{"doctor"}, world.databaseFlags...))
	require.NoError(t, world.Process.Signal(syscall.SIGQUIT))
	world.ExitStatus(10 * time.Second)
	world.pages["the log and the dump of SIGQUIT"] = world.Log.String()
	for _, part := range []string{"msg=request", "route=/account/reset", "goroutine 1 "} {
		require.Contains(t, world.Log.String(), part)
	}
	log := apptest.ReadFile(t, pg.Dir, "postgres.log")
	require.Regexp(t, `(?i)execute \S+: .*insert into .?(audit_entries|sessions)`, log, "it logs every statement")
	textsWithHashes := outputs{"PostgreSQL's log": log} // may have hashes, which secretShapes would match
	for table := range apptest.RowCounts(t, db) {
		texts := world.pages
		if table == "users" || table == "recovery_codes" {
			texts = textsWithHashes
		}
		texts["the table "+table] = apptest.DumpTable(db, table) + " "
	}
	world.pages.requireNoSecrets(t, world.secrets, secretShapes)
	// the table users has the imported hash, and the statement log has the typed e-mail
	delete(world.secrets, "a password hash")
	delete(world.secrets, "a password typed as the e-mail")
	textsWithHashes.requireNoSecrets(t, world.secrets, map[string]*regexp.Regexp{})
}

// useKeys sends keys in valid and invalid ways. TestRedactRemovesSecrets tests more forms.
func (s *secretWorld) useKeys(t *testing.T, db *testkit.World) {
	organisation := testkit.Query[string](db, `select org_id::text from api_keys limit 1`)
	key, otherKey := db.AddKey(organisation), db.AddKey(organisation)
	s.secrets["a key's secret"], s.secrets["another key's secret"] = key.Secret, otherKey.Secret
	s.secrets["a secret that fits no key"] = strings.Repeat("wrong", 8)
	bearer := "Bearer " + key.Token()
	wrong := "Bearer dg_live_" + key.ID + "_" + strings.Repeat("wrong", 20)[:len(key.Secret)]
	fork := "/api/v1/forks/" + testkit.Query[string](db,
		`select id::text from forks where org_id = $1 limit 1`, organisation)
	const period = "?from=2026-01-01&to=2026-03-31"
	db.Exec(`update api_keys set revoked_at = now() where id = $1`, otherKey.ID)
	for i, request := range [][]string{
		{fork + "/stats" + period, "Authorization", bearer},
		{fork + "/stats?from=" + key.Secret, "Authorization", bearer},
		{fork + "/exports/csv" + period, "Authorization", bearer},
		{fork + "/exports/csv" + period + "&groupId=" + uuid.NewString(), "Authorization", bearer},
		{"/api/v1/forks", "Authorization", wrong},
		{"/api/v1/forks", "Authorization", "Bearer " + otherKey.Token()},
		{"/api/v1/forks", "Authorization", "Bearer  x " + otherKey.Token()},
		{"/api/v1/forks", "Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("dg:"+key.Token()))},
		{"/api/v1/forks?key=" + key.Token() + "&access_token=" + key.Token()},
		{"/api/v1/forks", "Cookie", "key=" + key.Token(), "User-Agent", key.Token()},
		{"/nowhere?key=" + key.Token(), "Authorization", bearer, "User-Agent", "bi " + key.Token()},
		{"/api/v1/forks/%25zz", "Authorization", bearer},
		{"/x/" + strings.ReplaceAll(key.Token(), "_", "%255f"), "Authorization", bearer},
		{"/x/DG_LIVE_" + key.ID + "_" + key.Secret, "User-Agent", "DG_LIVE_" + key.ID + "%5F" + key.Secret},
	} {
		s.pages[fmt.Sprintf("answer %d", i)] = fetchAll(t, s.ListenURL+request[0], request[1:]...)
	}
}

func (s *secretWorld) failSignIns(t *testing.T, a demo.Account) {
	browser := testkit.NewBrowser(t, s.ListenURL)
	s.secrets["a wrong password"] = "wrong-" + uuid.NewString()
	s.secrets["a password typed as the e-mail"] = "typed-" + uuid.NewString()
	wrong := testkit.Form("email", a.Email, "password", s.secrets["a wrong password"])
	s.pages["a failed sign-in"] = browser.Post("/sign-in", wrong).Body
	// s.pages lacks this page, because it shows the typed e-mail again
	browser.Post("/sign-in", testkit.Form("email", s.secrets["a password typed as the e-mail"])).Is(t, 401)
	browser.SignIn(a.Email, a.Password, "")
	s.secrets["a session of the first step"] = browser.SessionToken()
	s.secrets["a wrong code"] = "wrong code " + uuid.NewString()
	s.pages["a failed code"] = browser.Post("/sign-in/code", testkit.Form("code", s.secrets["a wrong code"])).Body
	browser.Post("/sign-in/code", testkit.Form("code", testkit.TOTPCode(t, a.TOTPSecret, time.Now()))).Is(t, 303)
	s.secrets["a session of the second step"] = browser.SessionToken()
}

var recoveryCodePattern = regexp.MustCompile(`\b[0-9a-z]{4}(?:-[0-9a-z]{4}){3}\b`)

// enrolTwoStep changes the password, enrols, uses a recovery code, creates a key and reads pages.
func (s *secretWorld) enrolTwoStep(t *testing.T, a demo.Account) {
	browser := apptest.SignIn(t, s.ListenURL, a)
	newPassword := "new-" + uuid.NewString()
	form := testkit.Form("current", a.Password, "new", newPassword, "repeat", newPassword)
	browser.Post("/account/password", form).Is(t, 303)
	s.secrets["the new password"] = newPassword
	offeredSecret := browser.BeginTwoStep(newPassword)
	code := testkit.TOTPCode(t, offeredSecret, time.Now())
	codes := browser.Post("/account/two-step", testkit.Form("do", "on", "code", code)).Body
	s.secrets["the new two-step secret"] = offeredSecret
	recoveryCodes := recoveryCodePattern.FindAllString(codes, -1)
	require.GreaterOrEqual(t, len(recoveryCodes), 10, codes)
	s.secrets["a recovery code"], s.secrets["a used recovery code"] = recoveryCodes[0], recoveryCodes[1]
	visitor := testkit.NewBrowser(t, s.ListenURL)
	visitor.SignIn(a.Email, newPassword, "")
	testkit.RequireRedirect(t, "/", visitor.Post("/sign-in/code?recovery=1", testkit.Form("code", recoveryCodes[1])))
	const settings = "/o/harbour-and-vale/settings/"
	page := browser.Post(settings+"api-keys/new", testkit.Form("name", "BI", "scopes", "forks:read", "expiry", "30"))
	key := testkit.Submatch(t, "("+apptest.DemoKeyPattern.String()+")", page.Body)
	s.secrets["the new key"] = strings.Split(key, "_")[3]
	require.True(t, s.Accepts(key))
	s.secrets["a session"] = browser.SessionToken()
	keyPath := settings + "api-keys/" + strings.Split(key, "_")[2]
	for _, path := range []string{"/account", "/account/password", "/account/recovery-codes",
		"/docs", settings + "api-keys", keyPath,
		settings + "api-keys/new", keyPath + "/rename", keyPath + "/replace", keyPath + "/revoke",
		settings + "audit-log", settings + "audit-log.csv", settings + "organisation", "/nowhere"} {
		s.pages[path] = browser.Get(path).Body
	}
}

func (s *secretWorld) resetPassword(t *testing.T, a demo.Account) {
	reset := []string{"account", "reset", a.Email, "--base-url", s.ListenURL}
	out := apptest.RequireExit(t, 0, append(reset, s.databaseFlags[:4]...))
	link := apptest.ResetLinkPattern.FindStringSubmatch(out)
	require.NotNil(t, link, out)
	s.secrets["a reset link"] = link[3]
	s.secrets["the password after it"] = "reset-" + uuid.NewString()
	browser := testkit.NewBrowser(t, s.ListenURL)
	browser.Get(link[2])
	s.pages["a used reset"] = browser.Post(link[2], testkit.Form("token", link[3],
		"new", s.secrets["the password after it"], "repeat", s.secrets["the password after it"])).Is(t, 200).Body
	s.pages["a used link"] = browser.Get(link[2]).Body
	s.pages["the output of dg account"] = strings.Replace(out, link[3], "", 1) + " "
}

func (s *secretWorld) importSecrets(t *testing.T) {
	valid := `{"type":"user","id":"` + uuid.NewString() + `","email":"ann@example.org","name":"Ann",` +
		`"passwordHash":"` + testkit.PasswordHash + `","totpSecret":"` + totpSecret + `"}`
	for i, text := range []string{valid, strings.Replace(valid, totpSecret, totpSecret+"!", 1), valid + "}"} {
		file := filepath.Join(t.TempDir(), "file.ndjson")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		command := append([]string{"import", file}, s.databaseFlags...)
		s.pages[fmt.Sprintf("the output of import %d", i)] = apptest.RequireExit(t, min(i, 1), command) + " "
	}
}

func fetchAll(t *testing.T, url string, headers ...string) string {
	response := apptest.Get(t, apptest.NewClient(), url, "", headers...)
	return fmt.Sprint(response.Status, response.Header, apptest.ReadAll(t, response))
}

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

// operations.md, Secret key: with a key, secrets are stored encrypted. Rolling restarts introduce and replace a key,
// and sign-ins keep working on both instances.
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
	require.Regexp(t, `(?s)dg: the embedded PostgreSQL has ended: start again.*ready to accept`, restarted.Log.String())
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
