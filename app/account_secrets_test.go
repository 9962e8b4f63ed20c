package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// With a key no table has a secret of two-step verification in clear, whether it was stored before or imported; a key can be
// replaced. With another key the answer says that codes cannot be checked, and the log names the setting. Without a key the
// log warns at the start.
func TestTwoStepSecretsAreEncrypted(t *testing.T) {
	t.Parallel()
	first, second, third := strings.Repeat("0f", 32), strings.Repeat("1e", 32), strings.Repeat("2d", 32)
	p := &program{t: t, dir: newFolder(t)}
	tomas := demoAccount(t, "tomas@harbour.example.com")
	signIn := func(args ...string) (status int, location string) {
		t.Helper()
		greeting, stop := p.serve(append([]string{"serve", "--demo"}, args...)...)
		defer stop()
		db := openDoor(t, p.dir)
		defer db.close(t)
		db.exec(t, `update users set totp_last_step = 0 where totp_secret is not null`)
		require.Equal(t, len(args) == 0, strings.Contains(dump(t, db, "users"), tomas.TOTPSecret), "%v", args)
		v := newWebClient(t, regexp.MustCompile(`Serving on (\S+)`).FindStringSubmatch(greeting)[1])
		v.post("/sign-in", "email", tomas.Email, "password", tomas.Password)
		status, _, location = v.post("/sign-in/code", "code", codeOf(t, tomas.TOTPSecret))
		return status, location
	}
	const clear = "two-step secrets are stored in clear"
	for _, args := range [][]string{{}, {"--secret-key", first}, {"--secret-key", second, "--secret-key-previous", first}, {"--secret-key", second}} {
		_, location := signIn(args...)
		require.Equal(t, "/", location, "%v", args)
		require.Equal(t, 1, strings.Count(p.log.String(), clear), "one warning at the start without a key")
	}
	require.Contains(t, p.log.String(), "set DG_SECRET_KEY to 32 random bytes")
	status, location := signIn("--secret-key", third)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Empty(t, location)
	require.Contains(t, p.log.String(), "Set DG_SECRET_KEY to that key")
	require.Regexp(t, `request failed.*DG_SECRET_KEY`, p.log.String())
	for _, secret := range []string{first, second, third, tomas.TOTPSecret} {
		require.NotContains(t, p.log.String(), secret)
	}
	code, out := p.run("migrate", "--secret-key", third, "--secret-key-previous", second)
	require.Zero(t, code, out)
	_, location = signIn("--secret-key", third)
	require.Equal(t, "/", location)

	fresh := &program{t: t, dir: newFolder(t)}
	c := launch(t, "demo", "--data-dir", fresh.dir, "--secret-key", first)
	require.Zero(t, c.status(time.Minute), "%s", c.log.String())
	require.NotContains(t, dump(t, openDoor(t, fresh.dir), "users"), tomas.TOTPSecret)
}
