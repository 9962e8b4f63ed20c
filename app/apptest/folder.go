package apptest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/embeddedpg"
)

// repositoryRoot is the folder of go.mod, two levels above the tests that use it, such as those of app/system.
var repositoryRoot, _ = filepath.Abs("../..")

func RepositoryPath(path ...string) string {
	return filepath.Join(append([]string{repositoryRoot}, path...)...)
}

func ReadFile(t *testing.T, path ...string) string {
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(text)
}

// NewFolder returns the path of a data folder, on which no process may run when the test ends.
func NewFolder(t *testing.T) string {
	base := reachableFolder(t)
	dir := filepath.Join(base, "data folder")
	t.Cleanup(func() {
		WaitUntil(t, 20*time.Second, "a process is left on "+dir, func() bool {
			if len(ProcessesOn(t, dir)) == 0 {
				return true
			}
			// a killed dg leaves its server running
			server, err := embeddedpg.Start(context.Background(), dir)
			require.NoError(t, err)
			require.NoError(t, server.Stop(context.Background()))
			return false
		})
		_ = os.RemoveAll(base)
	})
	return dir
}

func reachableFolder(t *testing.T) string {
	parent := ""
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		parent = "/dev/shm"
	}
	base, err := os.MkdirTemp(parent, "dg-app-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(base, 0o755))
	return base
}

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
