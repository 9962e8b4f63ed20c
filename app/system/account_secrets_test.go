package system

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// With a key no table has a secret of two-step verification in clear, whether it was stored before
// or imported; a key can be replaced. Without a key the log warns at the start.
func TestTwoStepSecretsAreEncrypted(t *testing.T) {
	t.Parallel()
	first := strings.Repeat("0f", 32)
	second := strings.Repeat("1e", 32)
	p := &program{t: t, dir: apptest.NewFolder(t)}
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	signIn := func(args ...string) (location string) {
		t.Helper()
		greeting, stop := p.serve(append([]string{"serve", "--demo"}, args...)...)
		defer stop()
		db := apptest.OpenDoor(t, p.dir)
		defer db.GiveBack(t)
		db.Do(t, `update users set totp_last_step = 0 where totp_secret is not null`)
		require.Equal(t, len(args) == 0,
			strings.Contains(apptest.Dump(t, db, "users"), tomas.TOTPSecret), "%v", args)
		v := apptest.NewWebClient(t,
			regexp.MustCompile(`Serving on (\S+)`).FindStringSubmatch(greeting)[1])
		v.Post("/sign-in", "email", tomas.Email, "password", tomas.Password)
		_, _, location = v.Post("/sign-in/code", "code", apptest.CodeOf(t, tomas.TOTPSecret))
		return location
	}
	const clear = "two-step secrets are stored in clear"
	for _, args := range [][]string{{}, {"--secret-key", first}} {
		location := signIn(args...)
		require.Equal(t, "/", location, "%v", args)
		require.Equal(t, 1, strings.Count(p.log.String(), clear),
			"one warning at the start without a key")
	}
	require.Contains(t, p.log.String(), "set DG_SECRET_KEY to 32 random bytes")
	for _, secret := range []string{first, second, tomas.TOTPSecret} {
		require.NotContains(t, p.log.String(), secret)
	}
	code, out := p.run("migrate", "--secret-key", second, "--secret-key-previous", first)
	require.Zero(t, code, out)
	location := signIn("--secret-key", second)
	require.Equal(t, "/", location)

	fresh := &program{t: t, dir: apptest.NewFolder(t)}
	c := apptest.Launch(t, "demo", "--data-dir", fresh.dir, "--secret-key", first)
	require.Zero(t, c.Status(time.Minute), "%s", c.Log.String())
	require.NotContains(t, apptest.Dump(t, apptest.OpenDoor(t, fresh.dir), "users"),
		tomas.TOTPSecret)
}

// rules.md, Data: what would read or write secrets with another key than the database's, or without
// one, says so and does not start. A lost key can be given up.
func TestWrongSecretKeyDoesNotServe(t *testing.T) {
	t.Parallel()
	right := strings.Repeat("0f", 32)
	wrong := strings.Repeat("1e", 32)
	p := &program{t: t, dir: apptest.NewFolder(t)}
	apptest.CopyDemo(t, p.dir)
	serving := []string{"serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"}
	_, stop := p.serve("serve", "--demo", "--secret-key", right)
	for _, keys := range [][]string{
		{}, {"--secret-key", wrong}, {"--secret-key", wrong, "--secret-key-previous", wrong},
	} {
		for _, command := range [][]string{serving, {"demo"}, {"import", "/dev/null"}} {
			status, out := p.run(append(command, keys...)...)
			require.Equal(t, 1, status, "%v %v", command, keys)
			require.Contains(t, out, "set DG_SECRET_KEY to that key", "%v %v", command, keys)
			require.NotContains(t, out, wrong)
		}
		_, out := p.run(append([]string{"doctor"}, keys...)...)
		require.Regexp(t, `failure +secrets +the database has another secret key`, out)
	}
	stop()
	status, out := p.run("migrate", "--secret-key", wrong)
	require.Equal(t, 1, status, out)
	status, out = p.run("migrate")
	require.Zero(t, status, "it stores no secret: %s", out)

	status, out = p.run("migrate", "--forget-secret-key", "--secret-key", wrong)
	require.Zero(t, status, out)
	require.Contains(t, out, "reset the accounts")
	_, stop = p.serve("serve", "--secret-key", wrong)
	stop()
	// it is found again
	_, stop = p.serve("serve", "--secret-key", right, "--secret-key-previous", wrong)
	stop()
	_, out = p.run("doctor", "--secret-key", right)
	require.Regexp(t, `ok +secrets`, out)
}

// README, Secrets: a key is introduced and replaced on several instances while each serves.
func TestSecretKeyIsReplacedOnInstancesInTurn(t *testing.T) {
	t.Parallel()
	first := strings.Repeat("0f", 32)
	second := strings.Repeat("1e", 32)
	p := &program{t: t, dir: apptest.NewFolder(t)}
	tomas := apptest.DemoAccount(t, "tomas@harbour.example.com")
	var instances [2]string
	var stops [2]func()
	for i, keys := range [][]string{
		{"", first}, {"", first}, {first, second}, {first, second},
		{second, first}, {second, first}, {second}, {second},
	} {
		if stops[i%2] != nil {
			stops[i%2]()
		}
		args := []string{"serve", "--demo"}
		for n, flag := range []string{"--secret-key", "--secret-key-previous"}[:len(keys)] {
			args = append(args, flag, keys[n])
		}
		var greeting string
		greeting, stops[i%2] = p.serve(args...)
		instances[i%2] = regexp.MustCompile(`Serving on (\S+)`).FindStringSubmatch(greeting)[1]
		for _, base := range instances {
			if base == "" {
				continue
			}
			db := apptest.OpenDoor(t, p.dir)
			db.Do(t, `update users set totp_last_step = 0 where totp_secret is not null`)
			db.GiveBack(t)
			apptest.NewWebClient(t, base).SignIn(tomas)
		}
	}
}
