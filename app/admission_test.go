package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/modules/identity"
)

// tenant is an organisation of the test of admission: a fork, keys, and two owners who can sign in.
type tenant struct {
	history
	slug    string
	emails  []string
	keys    []string
	cookies []string
}

const tenantPassword = "correct horse battery"

// newTenant writes an organisation's history, its owners included.
func newTenant(t *testing.T, seed uint64, players, plays int) *tenant {
	t.Helper()
	base, err := reachable()
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	now := time.Now().UTC()
	n := &tenant{history: history{file: filepath.Join(base, "history.ndjson"), plays: plays}}
	n.query = fmt.Sprintf("?from=%s&to=%s", now.AddDate(0, 0, -301).Format(time.DateOnly), now.Format(time.DateOnly))
	f, err := os.Create(n.file)
	require.NoError(t, err)
	n.ids, err = demo.Scale(f, seed, now, demo.Size{Plays: plays, Players: players, Days: 300, Groups: []int{players / 8}})
	require.NoError(t, err)
	n.slug = "scale-" + n.ids.Organisation.String()[:8]
	hash, err := identity.HashPassword(tenantPassword, rand.Reader)
	require.NoError(t, err)
	for i := range 2 {
		id := uuid.NewString()
		n.emails = append(n.emails, fmt.Sprintf("owner-%d-%d@example.org", seed, i))
		for _, line := range []map[string]any{
			{"type": "user", "id": id, "email": n.emails[i], "name": "Owner", "passwordHash": hash},
			{"type": "membership", "organisationId": n.ids.Organisation, "userId": id, "role": "owner"},
		} {
			require.NoError(t, json.NewEncoder(f).Encode(line))
		}
	}
	require.NoError(t, f.Close())
	return n
}

// stats is the path of statistics: all of the history, or its last days.
func (n *tenant) stats(days int) string {
	query := n.query
	if days > 0 {
		now := time.Now().UTC()
		query = fmt.Sprintf("?from=%s&to=%s", now.AddDate(0, 0, 1-days).Format(time.DateOnly), now.Format(time.DateOnly))
	}
	return "/api/v1/forks/" + n.ids.Forks[0].String() + "/stats" + query
}

// crowded is a dg that serves one organisation with very many players and others with fewer.
type crowded struct {
	*child
	*door
	dir                  string
	large, other, little *tenant
}

func startCrowded(t *testing.T) *crowded {
	t.Helper()
	w := &crowded{dir: newFolder(t)}
	w.large = newTenant(t, 1, sized(40_000, 100_000), sized(80_000, 400_000))
	w.other, w.little = newTenant(t, 2, sized(15_000, 30_000), 40_000), newTenant(t, 3, 500, 5_000)
	for _, n := range []*tenant{w.large, w.other, w.little} {
		n.importInto(t, w.dir)
	}
	w.child = serveOn(t, w.dir)
	w.door = openDoor(t, w.dir)
	for _, n := range []*tenant{w.large, w.other, w.little} {
		for _, email := range n.emails {
			n.cookies = append(n.cookies, w.signIn(t, email))
		}
		w.newKeys(t, n)
	}
	return w
}

// newKeys gives an organisation keys whose minute has only begun.
func (w *crowded) newKeys(t *testing.T, n *tenant) {
	t.Helper()
	n.keys = nil
	for range 4 {
		n.keys = append(n.keys, makeKey(t, w.dir, n.ids.Organisation.String(), "BI").String())
	}
}

var sessionCookie = regexp.MustCompile(`__Host-dg=[^;]+`)

// signIn signs in as a browser does and returns the session's cookie.
func (w *crowded) signIn(t *testing.T, email string) string {
	t.Helper()
	values := url.Values{"email": {email}, "password": {tenantPassword}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/sign-in", strings.NewReader(values.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	c := client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := c.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	cookie := sessionCookie.FindString(strings.Join(response.Header.Values("Set-Cookie"), "\n"))
	require.NotEmpty(t, cookie, "%d %v", response.StatusCode, response.Header)
	return cookie
}

// status asks, reads the answer and returns its status.
func (w *crowded) status(t *testing.T, method, path, token string) int {
	request, err := http.NewRequestWithContext(t.Context(), method, w.url+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := client().Do(request)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// slow begins answers in the background, each read at 200 KB/s, and returns how many were given once each has been answered.
func (w *crowded) slow(t *testing.T, n int, begin func(i int) *http.Response) (given int) {
	t.Helper()
	var answered sync.WaitGroup
	var count atomic.Int32
	for i := range n {
		answered.Go(func() {
			response := begin(i)
			if response.StatusCode != http.StatusOK {
				if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
					t.Errorf("answered %d, Retry-After %q", response.StatusCode, response.Header.Get("Retry-After"))
				}
				return
			}
			count.Add(1)
			slowly(t, bufio.NewReaderSize(response.Body, 4<<10))
		})
	}
	answered.Wait()
	return int(count.Load())
}

// Decisions, "Data": no organisation ever holds all places. Whatever one organisation asks for, the others are answered.
func TestOneOrganisationDoesNotStarveOthers(t *testing.T) {
	t.Parallel()
	w := startCrowded(t)
	// One after the other: each fills the server.
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		t.Run("statistics by "+method, func(t *testing.T) { w.besideStatistics(t, method) })
	}
	t.Run("exports", w.besideExports)
	t.Run("downloads of the audit log", w.besideAuditDownloads)
	t.Run("large answers that are read slowly", w.besideSlowReaders)
	t.Run("120 small statistics of one key", w.answersAFullMinute)
	t.Run("memory under 64 of the largest reports", w.staysSmall)
}

func (w *crowded) besideStatistics(t *testing.T, method string) {
	w.newKeys(t, w.large)
	w.newKeys(t, w.little)
	ctx, stop := context.WithCancel(t.Context())
	var crowd sync.WaitGroup
	statuses := make([]atomic.Int32, 600)
	for range 16 {
		crowd.Go(func() {
			for i := 0; i < 4 && ctx.Err() == nil; i++ { // 64 in all: within the rate
				statuses[w.status(t, method, w.large.stats(0), w.large.keys[0])].Add(1)
			}
		})
	}
	refused, asked := 0, 0
	for ; asked < 24; asked++ {
		if status := w.status(t, http.MethodGet, w.little.stats(30), w.little.keys[0]); status != http.StatusOK {
			refused++
		}
	}
	stop()
	crowd.Wait()
	t.Logf("%d of %d requests of another organisation refused; of the crowd's own %d answered, %d refused", refused, asked, statuses[200].Load(), statuses[503].Load())
	require.Zero(t, refused)
	require.Positive(t, statuses[200].Load())
}

func (w *crowded) besideExports(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	given := w.slow(t, 8, func(i int) *http.Response {
		return askWithin(ctx, t, smallWindow(), w.url+w.large.csv(), "Authorization", "Bearer "+w.large.keys[i%2])
	})
	begun := time.Now()
	response := ask(t, smallWindow(), w.url+w.little.csv(), w.little.keys[0])
	t.Logf("beside %d slow exports of two keys of one organisation, another's was answered %d after %s", given, response.StatusCode, time.Since(begun).Round(time.Millisecond))
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, 4, given, "an organisation is given half of the places")
	stop() // who leaves gives the place back at once
	left := time.Now()
	require.Equal(t, http.StatusOK, ask(t, smallWindow(), w.url+w.large.csv(), w.large.keys[2]).StatusCode)
	require.Less(t, time.Since(left), 4*time.Second)
}

func (w *crowded) besideAuditDownloads(t *testing.T) {
	for _, n := range []*tenant{w.large, w.little} {
		w.exec(t, `insert into audit_entries (org_id, actor_kind, actor_id, actor_name, action, target_kind, target_id, method, path, address, user_agent, request_id)
			select $1, 'person', 'test', 'Test', 'api_key.created', 'api_key', 'none', 'GET', repeat('/long', 100), '127.0.0.1', 'test', 'test-' || i
			  from generate_series(1, 20000) i`, n.ids.Organisation)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	download := func(n *tenant, i int) *http.Response {
		return askWithin(ctx, t, smallWindow(), w.url+"/o/"+n.slug+"/settings/audit-log.csv", "Cookie", n.cookies[i], "Sec-Fetch-Site", "same-origin")
	}
	given := w.slow(t, 8, func(i int) *http.Response { return download(w.large, i%2) })
	response := download(w.little, 0)
	t.Logf("beside %d downloads of one organisation's audit log, another's was answered %d", given, response.StatusCode)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, 2, given)
}

func (w *crowded) besideSlowReaders(t *testing.T) {
	for _, n := range []*tenant{w.large, w.other, w.little} {
		w.newKeys(t, n)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	slow := func(n *tenant, count int) int {
		return w.slow(t, count, func(i int) *http.Response {
			return askWithin(ctx, t, smallWindow(), w.url+n.stats(0), "Authorization", "Bearer "+n.keys[i%4])
		})
	}
	const asked = 36
	given := slow(w.large, asked/3) + slow(w.large, asked/3) + slow(w.large, asked/3)
	large := slow(w.other, 3)
	little := w.status(t, http.MethodGet, w.little.stats(30), w.little.keys[0])
	t.Logf("beside %d large answers of one organisation that are read slowly, another was given %d of 3 large ones, and a third's small one was answered %d", given, large, little)
	require.Equal(t, 3, large)
	require.Equal(t, http.StatusOK, little)
	require.Positive(t, given)
	require.Less(t, given, asked)
}

// Specification, section 8: 120 requests a minute of one key are answered, also when they come at once.
func (w *crowded) answersAFullMinute(t *testing.T) {
	w.newKeys(t, w.little)
	var statuses [600]atomic.Int32
	var all sync.WaitGroup
	for range 120 {
		all.Go(func() { statuses[w.status(t, http.MethodGet, w.little.stats(30), w.little.keys[0])].Add(1) })
	}
	all.Wait()
	require.Equal(t, int32(120), statuses[http.StatusOK].Load())
	require.Equal(t, http.StatusTooManyRequests, w.status(t, http.MethodGet, w.little.stats(30), w.little.keys[0]))
}

// mostAboveIdle is what 64 of the largest reports may take.
const mostAboveIdle = 256 << 20

func (w *crowded) staysSmall(t *testing.T) {
	needsProc(t)
	group := "&groupId=" + w.large.ids.Groups[0].String()
	for name, tenants := range map[string][]*tenant{"one organisation": {w.large}, "a large group": {w.large}, "two organisations": {w.large, w.other}} {
		more := ""
		if name == "a large group" {
			more = group
		}
		for _, encoding := range []string{"gzip", "identity"}[:sized(1, 2)] { // gzip takes more
			for _, n := range tenants {
				w.newKeys(t, n)
			}
			w.stop()
			w.child = serveOn(t, w.dir)
			_ = w.status(t, http.MethodGet, w.little.stats(30), w.little.keys[0])
			idle := w.memory("VmRSS")
			require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", w.Process.Pid), []byte("5"), 0)) // VmHWM begins anew
			var answered, refused atomic.Int32
			var all sync.WaitGroup
			for i := range 64 {
				all.Go(func() {
					n := tenants[i%len(tenants)]
					response := ask(t, client(), w.url+n.stats(0)+more, n.keys[i%4], "Accept-Encoding", encoding)
					_, err := io.Copy(io.Discard, response.Body)
					switch {
					case err == nil && response.StatusCode == http.StatusOK:
						answered.Add(1)
					case err == nil && response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") == "5":
						refused.Add(1)
					default:
						t.Errorf("%d %v", response.StatusCode, err)
					}
				})
			}
			all.Wait()
			above := w.memory("VmHWM") - idle
			t.Logf("64 of the largest reports at once, %s, %s: %.1f MB above idle (%.1f MB); %d answered, %d refused",
				name, encoding, float64(above)/(1<<20), float64(idle)/(1<<20), answered.Load(), refused.Load())
			require.Less(t, above, mostAboveIdle)
			require.Positive(t, answered.Load())
		}
	}
}

// askWithin sends a GET that ends with ctx.
func askWithin(ctx context.Context, t *testing.T, c *http.Client, url string, headers ...string) *http.Response {
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
