package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/settings"
)

// parsed returns the settings of a command.
func parsed(t *testing.T, args ...string) (c cli, err error) {
	t.Helper()
	exit := -1
	_, err = parser(t.Context(), &c, Stdio{}, &exit).Parse(args)
	return c, err
}

// written writes a file and returns its path.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Settings come from flags, variables, the configuration file and files of secrets, in this order.
func TestSettingsHaveAnOrder(t *testing.T) {
	key := strings.Repeat("ab", 32)
	t.Setenv("DG_CONFIG", written(t, "dg.env",
		"# settings\nDG_ADDR=127.0.0.1:1\nDG_OPS_ADDR=127.0.0.1:2\nDG_BASE_URL=https://file.example\n"+
			"DG_SECRET_KEY_FILE="+written(t, "key", key+"\n")+"\n"))
	t.Setenv("DG_OPS_ADDR", "127.0.0.1:3")
	c, err := parsed(t, "serve", "--base-url", "https://flag.example")
	require.NoError(t, err)
	require.Equal(t, "https://flag.example", c.Serve.BaseURL)
	require.Equal(t, "127.0.0.1:3", c.Serve.OpsAddr)
	require.Equal(t, "127.0.0.1:1", c.Serve.Addr)
	require.Equal(t, key, c.Serve.SecretKey)
	require.EqualValues(t, 11, c.Serve.PoolAuth, "the default")
}

// configs/deploy/operations.md, Settings: the packages' file is read where it exists, unless
// DG_CONFIG names another or none, and never by a command without settings.
func TestConfigOfThePackagesIsRead(t *testing.T) {
	before := settings.Packaged
	t.Cleanup(func() { settings.Packaged = before })
	settings.Packaged = filepath.Join(t.TempDir(), "none.env")
	_, err := parsed(t, "serve")
	require.NoError(t, err)

	settings.Packaged = written(t, "dg.env",
		"DG_ADDR='127.0.0.1:7'\nDG_ADRR=x\nDG_TEST_OF_FILE=y\nTEST_OF_FILE=z\n")
	t.Cleanup(func() { _ = os.Unsetenv("TEST_OF_FILE") })
	t.Setenv("DG_OPS_ADRR", "x")
	c, err := parsed(t, "serve")
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:7", c.Serve.Addr)
	require.Subset(t, c.unknown, []string{"DG_ADRR", "DG_TEST_OF_FILE", "DG_OPS_ADRR"})
	require.Equal(t, "z", os.Getenv("TEST_OF_FILE"), "as with systemd's EnvironmentFile")

	settings.Packaged = written(t, "dg.env", "no setting\n")
	_, err = parsed(t, "serve")
	require.ErrorContains(t, err, settings.Packaged+": line 1 is not NAME=VALUE")
	_, err = parsed(t, "version")
	require.NoError(t, err)
	t.Setenv("DG_CONFIG", "")
	_, err = parsed(t, "serve")
	require.NoError(t, err)
}
