package system

import (
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/modules/identity"
)

// rules.md, Data: everybody knows their passwords, so only this machine may reach them, with and
// without --demo.
func TestDemoAccountsAreNotServedInPublic(t *testing.T) {
	t.Parallel()
	p := &program{t: t, dir: apptest.NewFolder(t)}
	behindProxy := []string{"--addr", "127.0.0.1:0", "--base-url", "https://dg.example.org"}
	mapped := []string{"--addr", "0.0.0.0:0", "--base-url", "http://127.0.0.1:8080"}
	refused := func(says string, command ...string) {
		t.Helper()
		for _, public := range [][]string{behindProxy, mapped} {
			status, out := p.run(append(command, public...)...)
			require.Equal(t, 1, status, "%v: %s", public, out)
			require.Contains(t, out, says)
		}
	}
	for _, load := range [][]string{{"serve", "--demo", "--ops-addr", "127.0.0.1:0"}, {"demo"}} {
		refused("everybody knows the passwords of the demo", load...)
	}
	d := apptest.OpenDoor(t, p.dir)
	require.Zero(t, apptest.Read[int](t, d, `select count(*) from users`), "nothing was loaded")

	p.dir = apptest.NewFolder(t)
	_, stop := p.serve("serve", "--demo")
	d = apptest.OpenDoor(t, p.dir)
	refused("dg account reset", "serve", "--ops-addr", "127.0.0.1:0")
	other, err := identity.HashPassword("a password of their own", rand.Reader)
	require.NoError(t, err)
	last := demo.Accounts[len(demo.Accounts)-1].Email
	d.Do(t, `update users set password_hash = $1 where email_key <> $2`, other, last)
	refused("everybody knows: "+last+".", "serve", "--ops-addr", "127.0.0.1:0")
	d.Do(t, `update users set password_hash = null where email_key = $1`, last)
	stop()
	greeting, _ := p.serve("serve", "--base-url", "https://dg.example.org")
	require.Contains(t, greeting, "https://dg.example.org")
}
