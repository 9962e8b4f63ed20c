package commands_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// Every setting is a flag or an environment variable of the same meaning; the flag wins. What is
// given wrong is told by both in the same way: each is read.
func TestEverySettingIsAFlagAndAVariable(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	folder := apptest.NewFolder(t) // holds another's file
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "letter.txt"), nil, 0o600))
	unknown := "postgres://dg_app:hunter2@127.0.0.1:1/dg"
	loopback := []string{"--addr", "127.0.0.1:0"}
	for env, c := range map[string]struct {
		wrong string
		rest  []string
		says  string
	}{
		"DG_ADDR": {taken.Addr().String(), nil, "set DG_ADDR to a free address"},
		"DG_BASE_URL": {"http://dg.example.org", loopback,
			"DG_BASE_URL must be https, or http on a loopback host"},
		"DG_OPS_ADDR": {taken.Addr().String(),
			append([]string{"--data-dir", apptest.NewFolder(t)}, loopback...),
			"set DG_OPS_ADDR to a free address"},
		"DG_TRUSTED_PROXIES": {"10.0.0.0", loopback, "DG_TRUSTED_PROXIES"},
		"DG_DATA_DIR":        {folder, loopback, "letter.txt"},
		"DG_DATABASE_URL":    {unknown, loopback, "connect"},
		"DG_MIGRATE_DATABASE_URL": {unknown, loopback,
			"DG_MIGRATE_DATABASE_URL is set and DG_DATABASE_URL is not"},
		"DG_DATABASE_REPLICA_URLS": {unknown, loopback,
			"DG_DATABASE_REPLICA_URLS is set and DG_DATABASE_URL is not"},
		"DG_SECRET_KEY":          {"short", loopback, "DG_SECRET_KEY is not a key"},
		"DG_SECRET_KEY_PREVIOUS": {"short", loopback, "DG_SECRET_KEY_PREVIOUS is not a key"},
		"DG_POOL_AUTH":           {"3", loopback, "DG_POOL_AUTH is 3: set it to 4 or more"},
		"DG_POOL_READS":          {"0", loopback, "DG_POOL_READS is 0: set it to 4 or more"},
		"DG_SHUTDOWN_DELAY":      {"1m", loopback, "DG_SHUTDOWN_DELAY is 1m0s: set it to 30s or less"},
		"DG_LOG_LEVEL":           {"loud", loopback, "debug"},
		"DG_CONFIG":              {folder + "/none", loopback, "DG_CONFIG: open"},
		"DG_LOG_FORMAT":          {"xml", loopback, "json"},
	} {
		flag := "--" + strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(env, "DG_"), "_", "-"))
		t.Run(env, func(t *testing.T) {
			status, _, byFlag := apptest.Command(t,
				append([]string{"serve", flag, c.wrong}, c.rest...)...)
			require.Contains(t, byFlag, c.says)
			require.Contains(t, []int{1, 2}, status)
			t.Setenv(env, c.wrong)
			sameStatus, _, byVariable := apptest.Command(t, append([]string{"serve"}, c.rest...)...)
			require.Equal(t, status, sameStatus)
			require.Contains(t, byVariable, c.says)
			require.NotContains(t, byFlag+byVariable, "hunter2", "no password in a message")
		})
	}
}

// A mistake in the command line is told in one clear line, with exit status 2.
func TestMistakesOnTheCommandLine(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"serve --prot 8080":      "unknown flag --prot",
		"serve extra":            "unexpected argument extra",
		"sevre":                  "sevre",
		"":                       "expected one of",
		"import":                 "file",
		"serve --addr":           "--addr",
		"serve --log-level=loud": "--log-level must be one of",
		"version --demo":         "unknown flag --demo",
	} {
		status, out, err := apptest.Command(t, strings.Fields(line)...)
		require.Equal(t, 2, status, "dg %s", line)
		lines := strings.Split(strings.TrimSpace(err), "\n")
		last := lines[len(lines)-1]
		require.True(t, strings.HasPrefix(last, "dg: "), "dg %s: %s", line, err)
		require.Contains(t, last, says)
		require.Empty(t, out, "a mistake is told on standard error")
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, asked := range []string{"version", "--version"} {
		status, out, err := apptest.Command(t, asked)
		require.Zero(t, status)
		require.Regexp(t, `^dg \S+ \(go1\.\S+, \w+/\w+\)\n$`, out)
		require.Empty(t, err)
	}
}
