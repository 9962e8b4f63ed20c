package apptest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// BackUp runs dg backup into a new file.
func BackUp(t *testing.T, dir string) (file, output string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "dg.backup")
	output = Succeeds(t, dir, "backup", file)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it is its owner's alone")
	return file, output
}
