package system

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// examine runs dg doctor on the database.
func examine(x *apptest.External, args ...string) (status int, out string) {
	x.T.Helper()
	c := apptest.Launch(x.T, append(x.On("doctor"), args...)...)
	return c.Status(time.Minute), c.Out.String()
}

// On a new machine dg doctor makes no data folder.
func TestDoctorMakesNoDataFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(apptest.NewFolder(t), "none")
	status, out, _ := apptest.Command(t, "doctor", "--data-dir", dir)
	require.Zero(t, status, out)
	require.Contains(t, out, "dg serve makes the database")
	require.NoDirExists(t, dir)
}
