package system

import (
	"context"
	"net/url"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/tb"
)

// operations.md, Install: on a managed server roles.sh runs without a superuser, also a second time. It
// says what remains open, as dg doctor does, whose statement closes it.
func TestRolesAreCreatedWithoutSuperuser(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("psql"); err != nil {
		tb.SkipOrFail(t, err)
	}
	server := joinServer(t, apptest.NewFolder(t))
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	superuser := tb.AsRole(server.URL(), "postgres")
	in := func(name string) string { return tb.Changed(superuser, func(u *url.URL) { u.Path = "/" + name }) }
	for _, sql := range []string{`drop database dg`, `drop role dg_app`, `drop role dg_owner`,
		`create role manager login createrole createdb`} {
		require.NoError(t, tb.Exec(t, in("postgres"), sql))
	}
	parsed, err := url.Parse(superuser)
	require.NoError(t, err)
	for range 2 {
		c := exec.CommandContext(t.Context(), "sh", apptest.InTree("configs", "deploy", "roles.sh"))
		c.Env = append(apptest.CleanEnvironment(), "PGHOST="+parsed.Query().Get("host"), "PGPORT=5432",
			"PGUSER=manager", "OWNER_PASSWORD=o", "APP_PASSWORD=a")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Regexp(t, `^Remains open: dg_app may create large objects.*\n$`, string(out))
	}
	doctor := func() string {
		c := apptest.Launch(t, "doctor", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
			"--secret-key", firstSecretKey, "--database-url", server.URL(),
			"--migrate-database-url", server.OwnerURL())
		require.Zero(t, c.Status(time.Minute), c.Out.String())
		return c.Out.String()
	}
	c := apptest.Launch(t, "migrate", "--database-url", server.URL(), "--migrate-database-url",
		server.OwnerURL())
	require.Zero(t, c.Status(time.Minute), c.Log.String())
	said := doctor()
	require.Regexp(t, `warning +rights +the serving role may create large objects`, said)
	require.NoError(t, tb.Exec(t, superuser, sqlOfAdvice.FindStringSubmatch(said)[1]))
	require.NotRegexp(t, `warning|failure`, doctor())
}
