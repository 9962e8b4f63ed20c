package cluster

import (
	"context"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/cluster"
)

// An instance whose URL names all servers answers within ten seconds of a promotion, however the
// primary went, and answers no request meanwhile with anything but 503. A primary that comes back
// as a standby is not used.
func TestFailoverHoweverThePrimaryGoes(t *testing.T) {
	if os.Getenv("DG_CLUSTER") == "" {
		t.Skip("takes minutes: make cluster runs it")
	}
	x := newClustered(t)
	for name, leave := range map[string]func(*cluster.Server){
		"stopped in order": func(s *cluster.Server) { s.Shut() },
		"killed":           func(s *cluster.Server) { s.Kill() },
		"frozen":           func(s *cluster.Server) { s.Signal(syscall.SIGSTOP) },
	} {
		t.Run(name, func(t *testing.T) { x.fails(t, leave) })
	}
}

// fails has the primary go and promotes a standby, under requests to the instance that knows all
// servers.
func (x *clustered) fails(t *testing.T, leave func(*cluster.Server)) {
	i := x.Instances[len(x.Instances)-1]
	statuses := map[int]int{}
	get := func() int {
		response := askFor(t, 30*time.Second, i.URL+x.stats(), x.nextKey())
		statuses[response]++
		return response
	}
	require.Equal(t, http.StatusOK, get())
	old := x.DB[0]
	leave(old)
	next, other := x.furthest()
	next.Promote()
	promoted := time.Now()
	apptest.Until(t, time.Minute, "no good answer", func() bool { return get() == http.StatusOK })
	good := time.Since(promoted)
	for range 50 {
		require.Equal(t, http.StatusOK, get(), "it stays good")
	}
	t.Logf("good answers %s after the promotion, all answers: %v", good.Round(10*time.Millisecond),
		statuses)
	require.Less(t, good, 10*time.Second)
	require.Len(t, statuses,
		map[bool]int{
			true:  2,
			false: 1,
		}[statuses[http.StatusServiceUnavailable] > 0], "%v", statuses)

	if old.Running() {
		old.Kill()
	}
	old.Copy()
	old.Start()
	old.CaughtUp(next)
	for range 50 {
		require.Equal(t, http.StatusOK, get(), "the old primary is back as a standby")
	}
	x.DB[0] = next
	x.DB[1] = other
	x.DB[2] = old
}

// askFor asks for at most the time and returns the status, 0 for none.
func askFor(t *testing.T, within time.Duration, url, token string) int {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), within)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := apptest.NewClient().Do(request)
	if err != nil {
		t.Logf("no answer: %v", err)
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}
