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

// demoFolder is a data folder with the demo, on which no server runs, in a folder that Main removes.
var demoFolder struct {
	sync.Once
	base, dir string
}

// Main runs the tests of a package that starts dg, and then removes the shared demo.
func Main(m *testing.M) {
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped with -short: these tests start dg")
		return
	}
	status := m.Run()
	_ = os.RemoveAll(demoFolder.base)
	os.Exit(status)
}

// CopyDemo copies the demo to a folder without data. Loading it anew would take two seconds.
func CopyDemo(t *testing.T, dir string) {
	if _, err := os.Stat(filepath.Join(dir, "cluster")); err == nil {
		return
	}
	demoFolder.Do(func() {
		demoFolder.base = reachableFolder(t)
		demoFolder.dir = filepath.Join(demoFolder.base, "data folder")
		Succeeds(t, demoFolder.dir, "demo")
	})
	out, err := exec.CommandContext(t.Context(), "cp", "-a", demoFolder.dir, dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

var CurlLine = regexp.MustCompile(`(?m)^\s*(curl .*)$`)

var DemoKey = regexp.MustCompile(`dg_live_[0-9A-Za-z]+_[0-9A-Za-z]+`)
