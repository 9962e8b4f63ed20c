package system

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

type demoServed struct {
	*apptest.Child
	dir   string
	db    *testkit.World
	token string // of the demo's key
}

func serveDemo(t *testing.T, args ...string) *demoServed {
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir, append([]string{"--demo"}, args...)...)
	return &demoServed{Child: c, dir: dir, db: apptest.OpenAdminDB(t, dir), token: c.DemoToken()}
}

func runDoctor(x *apptest.External, args ...string) (status int, out string) {
	c := apptest.Launch(x.T, append(x.On("doctor"), args...)...)
	return c.Status(time.Minute), c.Out.String()
}

// runCurlLine runs the curl line of a greeting in a shell, and returns its output.
func runCurlLine(t *testing.T, greeting string) (forks string) {
	if _, err := exec.LookPath("curl"); err != nil {
		tb.SkipOrFail(t, err)
	}
	line := apptest.CurlLine.FindStringSubmatch(greeting)
	require.NotNil(t, line, greeting)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", line[1]+" --fail").Output()
	require.NoError(t, err, line[1])
	require.Contains(t, string(out), `"gameId"`)
	return string(out)
}

func TestMain(m *testing.M) {
	runInstead() // replaces the tests in a process that TestServiceWorksUnderItsFilter starts
	apptest.Main(m)
}
