package system

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// On a full disk the import fails with advice and changes nothing. It succeeds when there is space.
func TestImportReportsAFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "400m")
	apptest.NewHistory(t, 1, 1_000).ImportInto(t, dir)
	rows := func() map[string]int {
		d := apptest.OpenAdminDB(t, dir)
		defer d.Release(t)
		rows := d.Tables(t)
		return rows
	}
	before := rows()
	large := apptest.NewHistory(t, 2, 40_000)
	for _, left := range []int{14, 6} { // megabytes, for the rows and for the log
		free := fill(t, filepath.Dir(dir), left)
		c := apptest.Launch(t, "import", "--data-dir", dir, large.File)
		require.Equal(t, 1, c.Status(2*time.Minute))
		// If the WAL does not fit, PostgreSQL restarts and the connection is lost.
		require.Regexp(t,
			`dg: nothing was imported: (the disk of the database is full. Free some space|`+
				`the connection to the database was lost. Check the log of the database \(its disk may be full\)), then import again: `,
			c.Log.String())
		free()
		require.Equal(t, before, rows())
	}
	large.ImportInto(t, dir)
	require.Equal(t, before["plays"]+large.Plays, rows()["plays"])
}

// smallDisk is a data folder on a new disk of that size.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	base, err := apptest.ReachableFolder()
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o",
		"mode=755,size="+size, "dg-test", base).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: no disk can be mounted here: %v %s", err,
			bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		apptest.Until(t, 10*time.Second, "the disk is in use", func() bool {
			return exec.CommandContext(context.Background(), "umount", base).Run() == nil
		})
	})
	dir := filepath.Join(base, "data folder")
	t.Cleanup(func() { apptest.CleanFolder(t, dir, dir) })
	return dir
}

// fill fills the disk except for that many megabytes. free removes the ballast.
func fill(t *testing.T, disk string, left int) (free func()) {
	t.Helper()
	reserve := filepath.Join(disk, "reserve")
	ballast := filepath.Join(disk, "ballast")
	require.NoError(t, os.WriteFile(reserve, make([]byte, left<<20), 0o600))
	out, err := exec.Command("dd", "if=/dev/zero", "of="+ballast, "bs=64K").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "No space left")
	require.NoError(t, os.Remove(reserve))
	return func() { require.NoError(t, os.Remove(ballast)) }
}
