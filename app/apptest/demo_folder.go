package apptest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// demoBase is the parent of demoFolder, which Main removes.
var demoBase string

// Main runs the tests of a package that starts dg, and then removes the shared demo.
func Main(m *testing.M) {
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped with -short: these tests start dg")
		return
	}
	status := m.Run()
	_ = os.RemoveAll(demoBase)
	os.Exit(status)
}

// demoFolder is a data folder with the demo. No server runs on it.
var demoFolder = sync.OnceValues(func() (string, error) {
	var err error
	if demoBase, err = ReachableFolder(); err != nil {
		return "", err
	}
	dir := filepath.Join(demoBase, "data folder")
	return dir, inProcess("demo", "--data-dir", dir)
})

// CopyDemo copies demoFolder to a folder without data. Loading the demo anew would take two
// seconds.
func CopyDemo(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "cluster")); err == nil {
		return
	}
	loaded, err := demoFolder()
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), "cp", "-a", loaded, dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// CurlLine finds the curl command of a greeting.
var CurlLine = regexp.MustCompile(`(?m)^\s*(curl .*)$`)

// DemoKey finds a key.
var DemoKey = regexp.MustCompile(`dg_live_[0-9A-Za-z]+_[0-9A-Za-z]+`)
