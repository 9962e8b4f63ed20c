package system

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// serveDemo serves the demo from a new folder.
func serveDemo(t *testing.T, args ...string) (p *program, base string, db *apptest.Door) {
	t.Helper()
	p = &program{t: t, dir: apptest.NewFolder(t)}
	greeting, _ := p.serve(append([]string{"serve", "--demo"}, args...)...)
	return p, regexp.MustCompile(`Serving on (\S+)`).
		FindStringSubmatch(greeting)[1], apptest.OpenDoor(t, p.dir)
}

// A stolen session cookie alone changes neither the password nor two-step verification.
func TestStolenSessionChangesNothing(t *testing.T) {
	t.Parallel()
	_, base, db := serveDemo(t)
	maren := apptest.DemoAccount(t, "maren@harbour.example.com")
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	before := apptest.Read[string](t, db,
		`select string_agg(concat_ws(' ', id, password_hash, totp_secret), ',' order by id) from users`)
	unchanged := func(change string) {
		t.Helper()
		require.Equal(t, before,
			apptest.Read[string](t, db,
				`select string_agg(concat_ws(' ', id, password_hash, totp_secret), ',' order by id) from users`),
			change)
	}
	thief := apptest.NewWebClient(t, base).SignIn(maren).Stolen()
	offer := apptest.OfferedSecret.FindStringSubmatch(thief.Get("/account/two-step"))
	require.NotNil(t, offer)
	code := apptest.CodeOf(t, strings.ReplaceAll(offer[1], " ", ""))
	for _, password := range []string{"", "a wrong password"} {
		status, _, _ := thief.Post("/account/two-step", "do", "on", "code", code, "current",
			password)
		require.Equal(t, http.StatusUnprocessableEntity, status)
		unchanged("two-step on")
	}

	// With two-step verification on, the password alone is not enough either.
	thief = apptest.NewWebClient(t, base).SignIn(tomas).Stolen()
	replacement := "battery horse staple"
	for _, path := range []string{
		"/account/password", "/account/two-step", "/account/recovery-codes",
	} {
		for _, proof := range [][2]string{
			{"", ""}, {tomas.Password, ""}, {tomas.Password, "000000"},
			{"", apptest.CodeOf(t, tomas.TOTPSecret)},
		} {
			status, _, _ := thief.Post(path, "do", "off", "current", proof[0], "code", proof[1],
				"new", replacement, "repeat", replacement)
			require.Equal(t, http.StatusUnprocessableEntity, status, "%s %q", path, proof)
			unchanged(path)
		}
	}
}

// The notice does not come from the address.
func TestAccountShowsAChangeOnce(t *testing.T) {
	t.Parallel()
	_, base, _ := serveDemo(t)
	v := apptest.NewWebClient(t, base).SignIn(apptest.DemoAccount(t, "maren@harbour.example.com"))
	for _, changed := range []string{"two-step-on", "two-step-off", "password"} {
		require.NotContains(t, v.Get("/account?changed="+changed),
			"Your other sessions have ended.",
			changed)
	}
	_, _, location := v.Post("/account/password", "current",
		apptest.DemoAccount(t, "maren@harbour.example.com").Password, "new", "battery horse staple",
		"repeat", "battery horse staple")
	require.Equal(t, "/account", location)
	require.Contains(t, v.Get("/account"), "Password changed.")
	require.NotContains(t, v.Get("/account"), "Password changed.", "shown once")
}

// Only the operator of the service can make the link; people reach the operator through an owner.
func TestSignInNamesWhoCanHelp(t *testing.T) {
	t.Parallel()
	_, base, _ := serveDemo(t)
	v := apptest.NewWebClient(t, base)
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	pages := []string{v.Get("/sign-in")}
	v.Post("/sign-in", "email", tomas.Email, "password", tomas.Password)
	for _, page := range append(pages, v.Get("/sign-in/code")) {
		require.Contains(t, page,
			"an owner of your organisation to get you a reset link from the operator of this service")
	}
}

// The link lets a person without password and phone set a new password. The token is in no table
// and no log.
func TestAccountResetWorksOnce(t *testing.T) {
	t.Parallel()
	p, base, db := serveDemo(t)
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	before := apptest.NewWebClient(t, base).SignIn(tomas)
	status, out := p.run("account", "reset", "nobody@harbour.example.com", "--base-url", base)
	require.Equal(t, 1, status)
	require.Contains(t, out, "nobody has this e-mail")
	issue := func() (path, token string) {
		status, out := p.run("account", "reset", strings.ToUpper(tomas.Email), "--base-url", base)
		require.Zero(t, status, out)
		require.Contains(t, out, "turns two-step verification off")
		link := apptest.ResetLink.FindStringSubmatch(out)
		require.NotNil(t, link, out)
		require.Equal(t, base, link[1])
		return link[2], link[3]
	}
	replaced, _ := issue()
	path, token := issue()
	require.NotContains(t, apptest.Dump(t, db, "account_resets"), token)

	replacement := "battery horse staple"
	v := apptest.NewWebClient(t, base)
	status, _, _ = v.Send(replaced, nil)
	require.Equal(t, http.StatusNotFound, status, "a newer link replaced it")
	require.Contains(t, v.Get(path), "This turns off two-step verification")
	for _, wrong := range [][2]string{{"short", "short"}, {replacement, replacement + "r"}} {
		status, body, _ := v.Post(path, "token", token, "new", wrong[0], "repeat", wrong[1])
		require.Equal(t, http.StatusUnprocessableEntity, status)
		require.Contains(t, body, `name="token" value="`+token+`"`)
	}
	require.NotEmpty(t, before.Get("/account"))
	status, body, _ := v.Post(path, "token", token, "new", replacement, "repeat", replacement)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "Password set")
	_, _, location := before.Send("/account", nil)
	require.Contains(t, location, "/sign-in", "all sessions end")
	status, _, _ = v.Send(path, nil)
	require.Equal(t, http.StatusNotFound, status, "it works once")
	tomas.Password = replacement
	tomas.TOTPSecret = ""
	apptest.NewWebClient(t, base).SignIn(tomas)
	require.NotContains(t, p.log.String(), token)
}

// rules.md, Audit log: a link is in the log of each organisation of its person, with the operator
// as the actor, or is not made.
func TestAccountResetIsRecordedInEachOrganisation(t *testing.T) {
	t.Parallel()
	p, base, db := serveDemo(t)
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	db.Do(t, `insert into memberships (org_id, user_id, role)
		select o.id, u.id, 'member' from organisations o, users u
		where o.slug = 'atelier-north-light' and u.email_key = $1`, tomas.Email)
	status, out := p.run("account", "reset", tomas.Email, "--base-url", base)
	require.Zero(t, status, out)
	const recorded = `select coalesce(string_agg(
			concat_ws(' ', o.slug, actor_kind, method, e.path, details->>'name'), ', ' order by o.slug), '')
		from audit_entries e join organisations o on o.id = e.org_id join users u on u.id::text = e.target_id
		where e.action = 'account.reset_created' and e.target_kind = 'person' and u.email_key = $1
		and (details->>'until')::timestamptz = (select date_trunc('second', expires_at) from account_resets)`
	require.Equal(t, "atelier-north-light operator CLI dg account reset Tomás Okafor, "+
		"harbour-and-vale operator CLI dg account reset Tomás Okafor",
		apptest.Read[string](t, db, recorded, tomas.Email))

	maren := apptest.NewWebClient(t, base).
		SignIn(apptest.DemoAccount(t, "maren@harbour.example.com"))
	log := maren.Get(
		"/o/harbour-and-vale/settings/audit-log?action=account.reset_created&actor=operator",
	)
	require.Equal(t, 1, strings.Count(log, "<span>Reset link created</span>"))
	require.Contains(t, log, "Tomás Okafor")

	db.Do(t, `delete from account_resets`)
	db.Do(t, `alter table audit_entries add constraint full_disk check (false) not valid`)
	status, out = p.run("account", "reset", tomas.Email, "--base-url", base)
	require.Equal(t, 1, status)
	require.NotRegexp(t, apptest.ResetLink, out)
	require.Zero(t, apptest.Read[int](t, db, `select count(*) from account_resets`))
}
