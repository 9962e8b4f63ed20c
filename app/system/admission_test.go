package system

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// Many large reports that are read slowly take bounded memory. app/assembly and make chaos prove
// that they leave room for others.
func TestMemoryUnderLargeReportsIsBounded(t *testing.T) {
	t.Parallel()
	apptest.NeedsProc(t)
	db := testkit.New(t)
	largest := apptest.Sized(40_000, 40_000, 100_000)
	n := apptest.NewTenant(db, largest, 2*largest)
	c := apptest.ServeDatabase(t, db)
	c.Fetch(n.Stats(1), n.Keys[0])
	idle := c.Memory("VmRSS")
	// resets VmHWM
	require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", c.Process.Pid), []byte("5"), 0))
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var answers apptest.Counter
	apptest.Concurrently(64, func(i int) {
		request, _ := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+n.Stats(301), http.NoBody)
		request.Header.Set("Authorization", "Bearer "+n.Keys[i%4])
		response, err := apptest.SmallWindowClient().Do(request)
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = response.Body.Close() })
		answers.Add(response.Status)
		if response.StatusCode == http.StatusOK {
			apptest.ReadSlowly(t, bufio.NewReaderSize(response.Body, 4<<10))
		}
	})
	above := c.Memory("VmHWM") - idle
	t.Logf("64 of the largest reports at once: %.1f MB above idle (%.1f MB); answers %v",
		float64(above)/(1<<20), float64(idle)/(1<<20), &answers)
	require.Less(t, above, apptest.Sized(96<<20, 96<<20, 256<<20))
	require.Positive(t, answers.Of("200 OK"))
	require.Empty(t, answers.Besides("200 OK", "503 Service Unavailable"))
}
