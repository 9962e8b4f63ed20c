package commands

import (
	"bytes"
	"dg/app/settings"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// configs/deploy/operations.md, Settings: the packages' file is read where it exists, unless
// DG_CONFIG names another or none, and never by a command without settings.
func TestConfigOfThePackagesIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dg.env")
	before := settings.Packaged
	settings.Packaged = path
	t.Cleanup(func() { settings.Packaged = before })
	config := func(args ...string) (status int, out, problem string) {
		var stdout, stderr bytes.Buffer
		status = Run(t.Context(), args, Stdio{Stdout: &stdout, Stderr: &stderr})
		return status, stdout.String(), stderr.String()
	}
	status, out, problem := config("config")
	require.Zero(t, status, problem)
	require.Contains(t, out, "DG_CONFIG=  # default\n")

	require.NoError(t, os.WriteFile(path,
		[]byte("DG_ADDR='127.0.0.1:7'\nDG_ADRR=x\nDG_TEST_OF_FILE=y\nTEST_OF_FILE=z\n"), 0o600))
	t.Cleanup(func() { _ = os.Unsetenv("TEST_OF_FILE") })
	t.Setenv("DG_OPS_ADRR", "x")
	status, out, problem = config("config")
	require.Zero(t, status, problem)
	require.Contains(t, out, "DG_CONFIG="+path+"  # default\n")
	require.Contains(t, out, "DG_ADDR=127.0.0.1:7  # file\n")
	require.Contains(t, out, "PG_BIN=")
	for _, name := range []string{"DG_ADRR", "DG_TEST_OF_FILE", "DG_OPS_ADRR"} {
		require.Contains(t, problem, name+" is not a setting")
	}
	require.Equal(t, "z", os.Getenv("TEST_OF_FILE"), "as with systemd's EnvironmentFile")

	require.NoError(t, os.WriteFile(path, []byte("no setting\n"), 0o600))
	status, _, problem = config("config")
	require.Equal(t, 2, status)
	require.Contains(t, problem, path+": line 1 is not NAME=VALUE")
	status, _, problem = config("version")
	require.Zero(t, status, problem)
	t.Setenv("DG_CONFIG", "")
	status, out, problem = config("config")
	require.Zero(t, status, problem)
	require.Contains(t, out, "DG_CONFIG=  # environment\n")
}
