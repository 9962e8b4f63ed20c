package apptest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BackUp runs dg backup into a new file.
func BackUp(t *testing.T, dir string) (file, output string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "dg.backup")
	c := Launch(t, "backup", "--data-dir", dir, file)
	require.Zero(t, c.Status(5*time.Minute), "%s", c.Log.String())
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it is its owner's alone")
	return file, c.Out.String()
}
