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
	"time"

	"github.com/stretchr/testify/require"
)

// demoBase holds a data folder with the demo in it, once some test has asked for it.
var demoBase string

// Main runs the tests of a package that starts dg, lets it say what there is to say at the end, and
// removes what its tests share.
func Main(m *testing.M, end ...func()) {
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped with -short: these tests start dg")
		return
	}
	status := m.Run()
	for _, say := range end {
		say()
	}
	_ = os.RemoveAll(demoBase)
	os.Exit(status)
}

// demoFolder is a data folder that holds the demo as `dg serve --demo` loads it, before it makes
// its key. Nothing runs on it.
var demoFolder = sync.OnceValues(func() (string, error) {
	var err error
	if demoBase, err = ReachableFolder(); err != nil {
		return "", err
	}
	program, err := Binary()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(demoBase, "data folder")
	file := filepath.Join(demoBase, "demo")
	for _, command := range []string{
		`"$0" demo --print >"$1"`, `"$0" import --data-dir "$2" "$1"`,
	} {
		cmd := exec.Command("sh", "-c", command, program, file, dir)
		cmd.Env = CleanEnvironment()
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("load the demo: %w\n%s", err, out)
		}
	}
	return dir, nil
})

// CopyDemo puts the demo into a folder without data: a copy of one that holds it, because loading
// takes two seconds of a processor.
func CopyDemo(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		return
	}
	loaded, err := demoFolder()
	require.NoError(t, err)
	NothingRuns(t, loaded, 20*time.Second)
	out, err := exec.CommandContext(t.Context(), "cp", "-a", loaded, dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// CurlLine finds the line of a greeting that can be pasted.
var CurlLine = regexp.MustCompile(`(?m)^\s*(curl .*)$`)

// DemoKey finds a key.
var DemoKey = regexp.MustCompile(`dg_live_[0-9A-Za-z]+_[0-9A-Za-z]+`)
