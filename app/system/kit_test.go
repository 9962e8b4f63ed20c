package system

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// demoServed is a dg serve with the demo.
type demoServed struct {
	*apptest.Child
	dir   string
	db    *testkit.World
	token string // of the demo's key
}

func serveDemo(t *testing.T, args ...string) *demoServed {
	t.Helper()
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir, append([]string{"--demo"}, args...)...)
	return &demoServed{Child: c, dir: dir, db: apptest.OpenAdminDB(t, dir), token: c.DemoToken()}
}

// runDoctor runs dg doctor on the database.
func runDoctor(x *apptest.External, args ...string) (status int, out string) {
	x.T.Helper()
	c := apptest.Launch(x.T, append(x.On("doctor"), args...)...)
	return c.Status(time.Minute), c.Out.String()
}

// requireUnavailable requires status 503 with exactly the API's error body.
func requireUnavailable(t *testing.T, answer apptest.Response) {
	t.Helper()
	require.Equal(t, 503, answer.Status, "%s", answer.Body)
	require.Regexp(t, `^[1-9]\d*$`, answer.Header.Get("Retry-After"))
	var e struct {
		Code    string
		Message string
		Details struct{ Code string }
	}
	d := json.NewDecoder(bytes.NewReader([]byte(answer.Body)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&e), "%s", answer.Body)
	require.NotEmpty(t, e.Message)
	require.Equal(t, "unavailable ERR_UNAVAILABLE", e.Code+" "+e.Details.Code)
}

// firstFork is the path of the first fork of a list.
func firstFork(t *testing.T, list string) string {
	t.Helper()
	var answer struct{ Items []struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(list), &answer))
	require.NotEmpty(t, answer.Items)
	return "/api/v1/forks/" + answer.Items[0].ID
}

// paste runs the curl line of a greeting in a shell, and returns its output.
func paste(t *testing.T, greeting string) (forks string) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("SKIPPED: there is no curl to paste the line into")
	}
	line := apptest.CurlLine.FindStringSubmatch(greeting)
	require.NotNil(t, line, greeting)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", line[1]+" --fail").Output()
	require.NoError(t, err, line[1])
	require.Contains(t, string(out), `"gameId"`)
	return string(out)
}
