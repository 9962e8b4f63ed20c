package system

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// crowded is a dg that serves one organisation with very many players and others with fewer.
type crowded struct {
	*apptest.Child
	db                   *fixtures.Database
	large, other, little *apptest.Tenant
}

func startCrowded(t *testing.T, largest int) *crowded {
	t.Helper()
	db := fixtures.New(t)
	return &crowded{
		db:     db,
		large:  apptest.NewTenant(db, largest, 2*largest),
		other:  apptest.NewTenant(db, largest/3, largest/2),
		little: apptest.NewTenant(db, 500, 5_000),
		Child:  apptest.ServeDatabase(t, db),
	}
}

// status asks, reads the answer and returns its status.
func (w *crowded) status(t *testing.T, method, path, token string) int {
	request, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := apptest.NewClient().Do(request)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// slow begins answers in the background, each read at 200 KB/s, and returns how many were given
// once each has been answered.
func (w *crowded) slow(t *testing.T, n int, begin func(i int) *http.Response) (given int) {
	t.Helper()
	var answered sync.WaitGroup
	var count atomic.Int32
	for i := range n {
		answered.Go(func() {
			response := begin(i)
			if response.StatusCode != http.StatusOK {
				if response.StatusCode != http.StatusServiceUnavailable ||
					response.Header.Get("Retry-After") == "" {
					t.Errorf("answered %d, Retry-After %q", response.StatusCode,
						response.Header.Get("Retry-After"))
				}
				return
			}
			count.Add(1)
			apptest.Slowly(t, bufio.NewReaderSize(response.Body, 4<<10))
		})
	}
	answered.Wait()
	return int(count.Load())
}

// No organisation ever holds all places: whatever some ask for, the others are answered. In every
// run app/assembly tests this with fewer of them.
func TestOneOrganisationDoesNotStarveOthers(t *testing.T) {
	if !apptest.Soak {
		t.Skip("takes two minutes: DG_SOAK=1 runs it")
	}
	t.Parallel()
	w := startCrowded(t, 100_000)
	for _, n := range []*apptest.Tenant{w.large, w.little} {
		for _, email := range n.Emails {
			n.Cookies = append(n.Cookies, apptest.SessionOf(t, w.URL, email))
		}
	}
	// One after the other: each fills the server.
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		t.Run("statistics by "+method, func(t *testing.T) { w.besideStatistics(t, method) })
	}
	t.Run("exports", w.besideExports)
	t.Run("downloads of the audit log", w.besideAuditDownloads)
	t.Run("large answers that are read slowly", w.besideSlowReaders)
}

func (w *crowded) besideStatistics(t *testing.T, method string) {
	w.large.Fill()
	w.little.Fill()
	ctx, stop := context.WithCancel(t.Context())
	var crowd sync.WaitGroup
	statuses := make([]atomic.Int32, 600)
	for range 16 {
		crowd.Go(func() {
			for i := 0; i < 4 && ctx.Err() == nil; i++ { // 64 in all: within the rate
				statuses[w.status(t, method, w.large.Stats(301), w.large.Keys[0])].Add(1)
			}
		})
	}
	refused := 0
	asked := 0
	for ; asked < 24; asked++ {
		if status := w.status(t, http.MethodGet, w.little.Stats(30),
			w.little.Keys[0]); status != http.StatusOK {
			refused++
		}
	}
	stop()
	crowd.Wait()
	t.Logf(
		"%d of %d requests of another organisation refused; of the crowd's own %d answered, %d "+
			"refused", refused, asked, statuses[200].Load(), statuses[503].Load(),
	)
	require.Zero(t, refused)
	require.Positive(t, statuses[200].Load())
}

func (w *crowded) besideExports(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	given := w.slow(t, 8, func(i int) *http.Response {
		return askWithin(ctx, t, apptest.SmallWindowClient(), w.URL+w.large.CSV(), "Authorization",
			"Bearer "+w.large.Keys[i%2])
	})
	begun := time.Now()
	response := apptest.Ask(t, apptest.SmallWindowClient(), w.URL+w.little.CSV(), w.little.Keys[0])
	t.Logf(
		"beside %d slow exports of two keys of one organisation, another's was answered %d after %s",
		given, response.StatusCode, time.Since(begun).Round(time.Millisecond),
	)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, 4, given, "an organisation is given half of the places")
	stop() // who leaves gives the place back at once
	left := time.Now()
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.SmallWindowClient(), w.URL+w.large.CSV(), w.large.Keys[2]).
			StatusCode)
	require.Less(t, time.Since(left), 4*time.Second)
}

func (w *crowded) besideAuditDownloads(t *testing.T) {
	for _, n := range []*apptest.Tenant{w.large, w.little} {
		w.db.Exec(`insert into audit_entries (org_id, actor_kind, actor_id, actor_name, action,
			target_kind, target_id, method, path, address, user_agent, request_id)
			select id, 'person', 'test', 'Test', 'api_key.created', 'api_key', 'none', 'GET',
			  repeat('/long', 100), '127.0.0.1', 'test', 'test-' || i
			  from organisations, generate_series(1, 20000) i where slug = $1`, n.Slug)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	download := func(n *apptest.Tenant, i int) *http.Response {
		return askWithin(ctx, t, apptest.SmallWindowClient(),
			w.URL+"/o/"+n.Slug+"/settings/audit-log.csv", "Cookie", n.Cookies[i], "Sec-Fetch-Site",
			"same-origin")
	}
	given := w.slow(t, 8, func(i int) *http.Response { return download(w.large, i%2) })
	response := download(w.little, 0)
	t.Logf("beside %d downloads of one organisation's audit log, another's was answered %d", given,
		response.StatusCode)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, 2, given)
}

// Two organisations hoard large answers that they read slowly: a third one's large and small
// reports are answered.
func (w *crowded) besideSlowReaders(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	slow := func(n *apptest.Tenant, count int) (given int) {
		n.Fill()
		for range 3 {
			given += w.slow(t, count, func(i int) *http.Response {
				return askWithin(ctx, t, apptest.SmallWindowClient(), w.URL+n.Stats(301),
					"Authorization", "Bearer "+n.Keys[i%4])
			})
		}
		return given
	}
	const asked = 12
	first := slow(w.large, asked)
	second := slow(w.other, asked)
	third := apptest.NewTenant(w.db, 20_000, 40_000)
	large := w.status(t, http.MethodGet, third.Stats(301), third.Keys[0])
	small := w.status(t, http.MethodGet, third.Stats(30), third.Keys[0])
	t.Logf(
		"beside %d and %d large answers of two organisations that are read slowly, a third one's "+
			"large report was answered %d and its small one %d", first, second, large, small,
	)
	require.Equal(t, http.StatusOK, large)
	require.Equal(t, http.StatusOK, small)
	require.Less(t, first, 3*asked)
}

// mostAboveIdle is what 64 of the largest reports may take.
const mostAboveIdle = 256 << 20

// However many large reports are asked for at once and read slowly, the memory that they take is
// bounded.
func TestMemoryUnderLargeReportsIsBounded(t *testing.T) {
	t.Parallel()
	apptest.NeedsProc(t)
	w := startCrowded(t, apptest.Sized(40_000, 100_000))
	w.staysSmall(t, "one organisation", "", w.large)
	if apptest.Soak {
		w.staysSmall(t, "a large group", "&groupId="+w.large.Group, w.large)
		w.staysSmall(t, "two organisations", "", w.large, w.other)
	}
}

func (w *crowded) staysSmall(t *testing.T, name, more string, tenants ...*apptest.Tenant) {
	for _, n := range tenants {
		n.Fill()
	}
	w.Stop()
	w.Child = apptest.ServeDatabase(t, w.db)
	_ = w.status(t, http.MethodGet, w.little.Stats(30), w.little.Keys[0])
	idle := w.Memory("VmRSS")
	// VmHWM begins anew
	require.NoError(t,
		os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", w.Process.Pid), []byte("5"), 0))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	answered := w.slow(t, 64, func(i int) *http.Response {
		n := tenants[i%len(tenants)]
		return askWithin(ctx, t, apptest.SmallWindowClient(), w.URL+n.Stats(301)+more,
			"Authorization", "Bearer "+n.Keys[i%4])
	})
	above := w.Memory("VmHWM") - idle
	t.Logf("64 of the largest reports at once, %s: %.1f MB above idle (%.1f MB); %d answered", name,
		float64(above)/(1<<20), float64(idle)/(1<<20), answered)
	require.Less(t, above, apptest.Sized(96<<20, mostAboveIdle))
	require.Positive(t, answered)
}

// askWithin sends a GET that ends with ctx.
func askWithin(
	ctx context.Context, t *testing.T, c *http.Client, url string, headers ...string,
) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}
