package assembly_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/platform/limiter"
	"dg/platform/testkit/fixtures"
)

// slowExport begins the export of a fork for a key and returns its body, of which little is on its
// way.
func (w *world) slowExport(token, forkID string) io.ReadCloser {
	w.t.Helper()
	response, err := w.export(token, forkID)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(w.t, http.StatusOK, response.StatusCode)
	return response.Body
}

// exportStatus returns the status of an export of which nothing is read.
func (w *world) exportStatus(token, forkID string) int {
	response, err := w.export(token, forkID)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func (w *world) export(token, forkID string) (*http.Response, error) {
	transport := &http.Transport{
		DisableCompression: true,
		DisableKeepAlives:  true,
		ReadBufferSize:     4 << 10,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			if err == nil {
				err = conn.(*net.TCPConn).SetReadBuffer(16 << 10)
			}
			return conn, err
		},
	}
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet,
		w.url+"/api/v1/forks/"+forkID+"/exports/csv?from=2026-01-01&to=2026-01-31", http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	return (&http.Client{Transport: transport}).Do(request)
}

// readSlowly reads in the background, that many bytes in a second, and sends the error that ends
// it.
func readSlowly(body io.Reader, rate int64) <-chan error {
	ended := make(chan error, 1)
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := io.CopyN(io.Discard, body, rate/20); err != nil {
				ended <- err
				return
			}
		}
	}()
	return ended
}

// takeAll takes every connection of a pool until the test gives them back.
func takeAll(t *testing.T, pool *pgxpool.Pool) (giveBack func()) {
	t.Helper()
	var taken []*pgxpool.Conn
	for i := range pool.Config().MaxConns {
		flow := limiter.WithTenant // no organisation may have all
		if i < pool.Config().MaxConns/5 {
			flow = limiter.WithNetwork
		}
		conn, err := pool.Acquire(flow(t.Context(), strconv.Itoa(int(i))))
		require.NoError(t, err)
		taken = append(taken, conn)
	}
	return func() {
		for _, conn := range taken {
			conn.Release()
		}
	}
}

// Running exports do not depend on free connections for authentication: a flood of requests that
// takes them all neither ends an export nor keeps a revocation from ending it within two seconds.
func TestExportsAreRecheckedBesideFullAuthPool(t *testing.T) {
	w := start(t)
	db := fixtures.On(t, w.Database)
	fork := db.Fork(fixtures.Fork{OrganisationID: db.Organisation(fixtures.Organisation{}).ID})
	db.Players(fork.OrganisationID, 10)
	db.Plays(fork, 30_000, fork.CreatedAt, time.Second)
	key := db.Key(fork.OrganisationID)
	body := w.slowExport(key.Token(), fork.ID)
	giveBack := takeAll(t, w.p.Pools.Auth.Pool)

	read := readSlowly(body, 800_000) // what is on its way is read within half a second
	select {
	case err := <-read:
		t.Fatalf("the export ended while authentication had no connection: %v", err)
	case <-time.After(3 * time.Second):
	}

	revoked := time.Now()
	db.Exec(`update api_keys set revoked_at = now() where id = $1`, key.ID)
	err := <-read
	require.ErrorIs(t, err, syscall.ECONNRESET)
	require.Less(t, time.Since(revoked), 3*time.Second)
	giveBack()
	require.Eventually(t, func() bool {
		return fixtures.One[int](db,
			`select count(*) from audit_entries
				where action = 'export.finished' and details->>'outcome' = 'key_unusable'`) ==
			1
	}, 10*time.Second, 10*time.Millisecond)
}

// A replaced key's running exports end within two seconds of its instant, and not before it.
func TestExportEndsWhenItsReplacedKeyStops(t *testing.T) {
	w := start(t)
	db := fixtures.On(t, w.Database)
	fork := db.Fork(fixtures.Fork{OrganisationID: db.Organisation(fixtures.Organisation{}).ID})
	db.Players(fork.OrganisationID, 10)
	db.Plays(fork, 30_000, fork.CreatedAt, time.Second)
	key := db.Key(fork.OrganisationID)
	body := w.slowExport(key.Token(), fork.ID)
	stops := time.Now().Add(1500 * time.Millisecond)
	db.Exec(`update api_keys set revoked_at = $2 where id = $1`, key.ID, stops)
	require.ErrorIs(t, <-readSlowly(body, 800_000), syscall.ECONNRESET)
	require.WithinRange(t, time.Now(), stops, stops.Add(3*time.Second))
	require.Eventually(t, func() bool {
		return fixtures.One[int](db,
			`select count(*) from audit_entries
				where action = 'export.finished' and details->>'outcome' = 'key_unusable'`) ==
			1
	}, 10*time.Second, 10*time.Millisecond)
}
