package system

import (
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/platform/testkit"
)

// README, Try it: the printed curl line works as it is pasted. A second run replaces the key and prints
// a working line again. A kill -9 of dg loses no data: the next run uses its PostgreSQL, and stops it.
func TestDemoSurvivesAKill(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir, "--demo")
	first := c.DemoToken()
	body := paste(t, c.Out.String())
	require.Equal(t, 6, strings.Count(body, `"gameId"`))
	c.Fetch("/healthz", "")
	c.Fetch("/readyz", "")

	// dg demo joins the running server and replaces the key.
	replaced := apptest.Succeeds(t, dir, "demo", "--base-url", c.URL)
	require.False(t, c.Accepts(first), "the first key is revoked")
	require.Equal(t, body, paste(t, replaced))
	server := apptest.Postmaster(t, dir)
	c.Kill()

	again := apptest.ServeOn(t, dir, "--demo")
	again.DemoToken()
	require.Equal(t, server, apptest.Postmaster(t, dir))
	require.Equal(t, body, paste(t, again.Out.String()))
	for _, greeting := range []string{c.Out.String(), replaced, again.Out.String()} {
		key := apptest.DemoKey.FindString(greeting)
		require.NotContains(t, c.Log.String()+again.Log.String(), key[len(key)-49:],
			"no secret in the log")
	}
	again.Stop()
	require.Empty(t, apptest.ProcessesOn(t, dir))
}

// rules.md, Data: the passwords of the demo are published, so dg serves its accounts on loopback
// only, with and without --demo.
func TestDemoAccountsAreNotServedInPublic(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	refused := func(says string, command ...string) {
		for _, public := range [][]string{
			{"--addr", "127.0.0.1:0", "--base-url", "https://dg.example.org"},
			{"--addr", "0.0.0.0:0", "--base-url", "http://127.0.0.1:8080"},
		} {
			apptest.Refuses(t, says, dir, append(command, public...)...)
		}
	}
	serve := []string{"serve", "--ops-addr", "127.0.0.1:0"}
	refused("the passwords of the demo are published", append(serve, "--demo")...)
	refused("the passwords of the demo are published", "demo")
	require.Zero(t, testkit.One[int](apptest.OpenAdminDB(t, dir), `
		select count(*) from pg_tables where schemaname = 'public'`))

	d := serveDemo(t)
	dir = d.dir
	refused("dg account reset", serve...)
	other, err := argon2id.CreateHash("a password of their own", argon2id.DefaultParams)
	require.NoError(t, err)
	last := demo.Accounts[len(demo.Accounts)-1].Email
	d.db.Exec(`update users set password_hash = $1 where email_key <> $2`, other, last)
	refused("published passwords: "+last+": use another database", serve...)
	d.db.Exec(`update users set password_hash = null where email_key = $1`, last)
	public := apptest.ServeOn(t, dir, "--base-url", "https://dg.example.org")
	require.Contains(t, public.Out.String(), "https://dg.example.org")
}
