package apptest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/platform/testkit"
)

// demoFolder is a data folder with the demo and no running server. Main removes its base.
var demoFolder struct {
	sync.Once
	base, dir string
}

// Main runs the tests of a package that starts dg. Then it removes the shared demo.
func Main(m *testing.M) {
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped with -short: these tests start dg")
		return
	}
	status := m.Run()
	_ = os.RemoveAll(demoFolder.base)
	os.Exit(status)
}

// CopyDemo copies the demo to a folder without data, because loading the demo again is slow.
func CopyDemo(t *testing.T, dir string) {
	if _, err := os.Stat(filepath.Join(dir, "cluster")); err == nil {
		return
	}
	demoFolder.Do(func() {
		demoFolder.base = reachableFolder(t)
		demoFolder.dir = filepath.Join(demoFolder.base, "data folder")
		RequireSuccess(t, demoFolder.dir, "demo")
	})
	out, err := exec.CommandContext(t.Context(), "cp", "-a", demoFolder.dir, dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

var CurlLinePattern = regexp.MustCompile(`(?m)^\s*(curl .*)$`)
var DemoKeyPattern = regexp.MustCompile(`dg_live_[0-9A-Za-z]+_[0-9A-Za-z]+`)

func SignIn(t *testing.T, base string, a demo.Account) *testkit.Browser {
	return testkit.NewBrowser(t, base).SignIn(a.Email, a.Password, a.TOTPSecret)
}

var ResetLinkPattern = regexp.MustCompile(`(http://\S+)(/account/reset\?token=([A-Z2-7]{52}))`)

func DemoAccount(t *testing.T, email string) demo.Account {
	i := slices.IndexFunc(demo.Accounts, func(a demo.Account) bool { return a.Email == email })
	require.NotEqual(t, -1, i, email)
	return demo.Accounts[i]
}
