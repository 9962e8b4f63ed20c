package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// demoBase holds a data folder with the demo in it, once some test has asked for it.
var demoBase string

func TestMain(m *testing.M) {
	if name := os.Getenv(asideVariable); name != "" {
		if err := beAside(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	status := m.Run()
	printSpared()
	_ = os.RemoveAll(demoBase)
	os.Exit(status)
}

// demoFolder is a data folder that holds the demo as `dg serve --demo` loads it, before it makes its key. Nothing runs on it.
var demoFolder = sync.OnceValues(func() (string, error) {
	var err error
	if demoBase, err = reachable(); err != nil {
		return "", err
	}
	program, err := binary()
	if err != nil {
		return "", err
	}
	dir, file := filepath.Join(demoBase, "data folder"), filepath.Join(demoBase, "demo")
	for _, command := range []string{`"$0" demo --print >"$1"`, `"$0" import --data-dir "$2" "$1"`} {
		cmd := exec.Command("sh", "-c", command, program, file, dir)
		cmd.Env = cleanEnvironment()
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("load the demo: %w\n%s", err, out)
		}
	}
	return dir, nil
})

// copyDemo puts the demo into a folder without data: a copy of one that holds it, because loading takes two seconds of a
// processor. The tests of an external database and of dg demo load it themselves.
func copyDemo(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		return
	}
	loaded, err := demoFolder()
	require.NoError(t, err)
	nothingRuns(t, loaded, 20*time.Second)
	out, err := exec.CommandContext(t.Context(), "cp", "-a", loaded, dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
}
