package apptest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// NewFolder returns the path of a data folder that PostgreSQL's user can enter, in memory if
// possible. At the end of the test no process may run on it.
func NewFolder(t *testing.T) string {
	t.Helper()
	base, err := ReachableFolder()
	require.NoError(t, err)
	dir := filepath.Join(base, "data folder")
	t.Cleanup(func() { CleanFolder(t, base, dir) })
	return dir
}

// CleanFolder waits until no process runs on a folder, and removes it with its base.
func CleanFolder(t *testing.T, base, dir string) {
	NothingRuns(t, dir, 20*time.Second)
	// A killed server leaves its socket for the next start.
	if info, err := os.Stat(dir); err == nil {
		of := info.Sys().(*syscall.Stat_t)
		left, _ := filepath.Glob(fmt.Sprintf("/tmp/dg-*-%x-%x", of.Dev, of.Ino))
		for _, path := range left {
			_ = os.RemoveAll(path)
		}
	}
	_ = os.RemoveAll(base)
}

// ReachableFolder makes a folder that PostgreSQL's user can enter.
func ReachableFolder() (string, error) {
	parent := ""
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		parent = "/dev/shm"
	}
	base, err := os.MkdirTemp(parent, "dg-app-test-")
	if err != nil {
		return "", err
	}
	return base, os.Chmod(base, 0o755)
}

// ProcessesOn lists the processes whose command line names the folder.
func ProcessesOn(t *testing.T, dir string) []string {
	out, err := exec.Command("ps", "-A", "-ww", "-o", "pid=,args=").Output()
	require.NoError(t, err)
	var found []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, dir) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// NothingRuns waits until no process of the folder is left, and returns how long that took.
func NothingRuns(t *testing.T, dir string, within time.Duration) time.Duration {
	t.Helper()
	begun := time.Now()
	Until(t, within, "a process is left on "+dir, func() bool {
		return len(ProcessesOn(t, dir)) == 0
	})
	return time.Since(begun)
}
