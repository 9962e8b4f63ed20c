package system

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// A second dg serve on a folder shares the server and the data of the first; an address that is
// taken says what to do.
func TestASecondServerOnAFolder(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir)
	second := apptest.ServeOn(t, dir)
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), second.URL+"/readyz", "").StatusCode)
	second.Stop()

	taken := apptest.Launch(t, "serve", "--data-dir", apptest.NewFolder(t), "--addr",
		strings.TrimPrefix(c.URL, "http://"))
	require.Equal(t, 1, taken.Status(20*time.Second))
	require.Contains(t, taken.Log.String(), "set DG_ADDR to a free address")

	response := apptest.Ask(t, apptest.NewClient(), c.URL+"/readyz", "")
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "ready\n", string(text))
	c.Stop()
}
