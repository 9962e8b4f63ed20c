package system

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// A kill -9 of an import that is alone on a folder leaves no PostgreSQL behind, and a second import
// succeeds.
func TestKilledImportLeavesNoServerBehind(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	h := apptest.NewHistory(t, 2, apptest.Sized(25_000, 200_000))
	require.Zero(t, apptest.Launch(t, "migrate", "--data-dir", dir).Status(time.Minute))
	c := apptest.Launch(t, "import", "--data-dir", dir, h.File)
	rows := folderSize(t, filepath.Join(dir, "data", "base"))
	apptest.Until(t, time.Minute, "it writes nothing", func() bool {
		return folderSize(t, filepath.Join(dir, "data", "base")) > rows+1<<20
	})
	c.Kill()
	apptest.NothingRuns(t, dir, goneWithin)
	h.ImportInto(t, dir)
	require.Equal(t, h.Plays, apptest.OpenDoor(t, dir).Tables(t)["plays"])
}

func folderSize(t *testing.T, dir string) (size int64) {
	require.NoError(t, filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil {
			if info, err := e.Info(); err == nil { // else it is gone by now
				size += info.Size()
			}
		}
		return nil
	}))
	return size
}

// An import's memory does not grow with its file. The process collects garbage early, so that what
// it keeps shows.
func TestImportTakesConstantMemory(t *testing.T) {
	t.Parallel()
	apptest.NeedsProc(t)
	sizes := []int{6_000, 24_000}
	growth := 6 << 20
	if apptest.Soak {
		sizes = []int{100_000, 1_000_000, 5_000_000}
		growth = 24 << 20
	}
	dir := apptest.NewFolder(t)
	apptest.OpenDoor(t, dir)
	first := 0
	for seed, plays := range sizes {
		peak := importPeak(t, dir, apptest.NewHistory(t, uint64(seed), plays))
		if first == 0 {
			first = peak
		}
		require.Less(t, peak-first, growth, "%d plays", plays)
	}
}

// importPeak imports a history, removes its file, and returns the most memory that the process had.
func importPeak(t *testing.T, dir string, h apptest.History) (peak int) {
	t.Helper()
	started := time.Now()
	c := apptest.LaunchWith(t, func(cmd *exec.Cmd) {
		cmd.Env = append(cmd.Env, "GOGC=25")
	}, "import", "--data-dir", dir, h.File)
	apptest.Until(t, 30*time.Minute, "the import does not end", func() bool {
		peak = max(peak, c.Memory("VmHWM"))
		select {
		case <-c.Exited:
			return true
		default:
			return false
		}
	})
	require.Zero(t, c.Status(time.Second), "%s", c.Log.String())
	require.Positive(t, peak)
	t.Logf("%d plays: %.1f s, peak %.1f MB", h.Plays, time.Since(started).Seconds(),
		float64(peak)/(1<<20))
	require.NoError(t, os.Remove(h.File))
	return peak
}

// On a full disk the import says so and changes nothing. It succeeds once there is space.
func TestImportReportsAFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "400m")
	apptest.NewHistory(t, 1, 1_000).ImportInto(t, dir)
	before := func() map[string]int {
		d := apptest.OpenDoor(t, dir)
		defer d.GiveBack(t)
		rows := d.Tables(t)
		delete(rows, "audit_burst_events") // unlogged: PostgreSQL empties it when it has crashed
		return rows
	}
	were := before()
	large := apptest.NewHistory(t, 2, 40_000)
	for _, left := range []int{14, 6} { // megabytes, for the rows and for the log
		t.Run(fmt.Sprintf("%d MB left", left), func(t *testing.T) {
			free := fill(t, filepath.Dir(dir), left)
			c := apptest.Launch(t, "import", "--data-dir", dir, large.File)
			require.Equal(t, 1, c.Status(2*time.Minute))
			t.Log(c.Log.String())
			// Which one depends on what did not fit: rows, or PostgreSQL's own log, without which
			// it restarts.
			require.Regexp(t,
				`dg: nothing was imported: (the disk of the database is full. Free some space|`+
					`the connection to the database was lost. Check the log of the database \(its disk may be full\)), then import again: `,
				c.Log.String())
			free()
			require.Equal(t, were, before())
		})
	}
	large.ImportInto(t, dir)
	were["plays"] += large.Plays
	require.Equal(t, were["plays"], before()["plays"])
}

// smallDisk is a data folder on a disk of its own.
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

// fill writes to the disk until that many megabytes are left, and returns how they are freed.
func fill(t *testing.T, disk string, left int) (free func()) {
	t.Helper()
	reserve := filepath.Join(disk, "reserve")
	ballast := filepath.Join(disk, "ballast")
	require.NoError(t, os.WriteFile(reserve, make([]byte, left<<20), 0o600))
	f, err := os.Create(ballast)
	require.NoError(t, err)
	_, err = io.Copy(f, zeros{})
	require.ErrorContains(t, err, "no space left")
	require.NoError(t, f.Close())
	require.NoError(t, os.Remove(reserve))
	return func() { require.NoError(t, os.Remove(ballast)) }
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
