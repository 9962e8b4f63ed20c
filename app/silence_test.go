package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// relay is a proxy before a database that can fall silent: it refuses and closes nothing, and nothing arrives.
type relay struct {
	net.Listener
	socket string
	open   sync.RWMutex // held for writing while all is silent
	era    atomic.Int64 // connections of an earlier one are silent for good
}

func newRelay(t *testing.T, x *external) *relay {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &relay{Listener: ln, socket: filepath.Join(x.link, ".s.PGSQL.5432")}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go r.carry(t.Context(), conn)
		}
	}()
	return r
}

func (r *relay) carry(ctx context.Context, client net.Conn) {
	era := r.era.Load()
	r.wait()
	var d net.Dialer
	server, err := d.DialContext(ctx, "unix", r.socket)
	if err != nil {
		_ = client.Close()
		return
	}
	stop := context.AfterFunc(ctx, func() { _, _ = client.Close(), server.Close() })
	defer stop()
	one := func(to, from net.Conn) {
		b := make([]byte, 32<<10)
		for {
			n, err := from.Read(b)
			r.wait()
			if r.era.Load() != era {
				<-ctx.Done()
			}
			if _, wrong := to.Write(b[:n]); wrong != nil || err != nil {
				_, _ = client.Close(), server.Close()
				return
			}
		}
	}
	go one(server, client)
	one(client, server)
}

// wait returns when the relay is not silent.
func (r *relay) wait() {
	r.open.RLock()
	defer r.open.RUnlock()
}

// forget makes the connections that there are silent for good; new ones work.
func (r *relay) forget() { r.era.Add(1) }

func (r *relay) url() string {
	u := url.URL{Scheme: "postgres", User: url.User("dg_app"), Host: r.Addr().String(), Path: "/dg", RawQuery: "sslmode=disable"}
	return u.String()
}

// overRelay is a dg that serves one large fork from a database behind a relay.
func overRelay(t *testing.T, plays int) (*exporting, *relay) {
	t.Helper()
	x := newExternal(t)
	r := newRelay(t, x)
	h := newHistory(t, 1, plays)
	e := &exporting{path: h.csv(), plays: plays}
	owner := x.url(url.User("dg_owner"))
	imported := launch(t, "import", "--database-url", x.url(url.User("dg_app")), "--migrate-database-url", owner, h.file)
	require.Zero(t, imported.status(10*time.Minute), "%s", imported.log.String())
	for range 4 {
		e.more = append(e.more, makeKeyIn(t, x.url(url.User("dg_app")), owner, h.ids.Organisation.String(), "Warehouse").String())
	}
	e.token = e.more[0]
	e.child = launch(t, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0", "--database-url", r.url(), "--migrate-database-url", owner).untilServing()
	e.door = &door{}
	var err error
	e.Pool, err = pgxpool.New(context.Background(), x.url(url.User("dg_owner")))
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e, r
}

// While the database does not answer, no key is reported unusable: an export is answered 503 before the first byte, and has the
// outcome database_unavailable after it. dg serves again when the database does.
func TestStalledDatabaseIsNotARevokedKey(t *testing.T) {
	t.Parallel()
	e, r := overRelay(t, 30_000)
	for i := range 4 {
		_, body := e.beginAs(t, e.more[i], "running-"+string(rune('a'+i))+"-0000")
		slowly(t, body)
	}
	answers := make(chan int, 30)
	var asking sync.WaitGroup
	r.open.Lock() // the database stops for two seconds
	silent := time.Now()
	for i := range cap(answers) {
		asking.Go(func() {
			response := ask(t, client(), e.url+e.path, e.more[i%4])
			answers <- response.StatusCode
			_, _ = io.Copy(io.Discard, response.Body)
		})
	}
	<-time.After(2*time.Second - time.Since(silent)) // the length of the silence
	r.open.Unlock()
	asking.Wait()
	close(answers)
	got := map[int]int{}
	for status := range answers {
		got[status]++
	}
	until(t, 30*time.Second, "an export's end is not recorded", func() bool {
		return read[int](t, e.door, `select count(*) filter (where action = 'export.started') - count(*) filter (where action = 'export.finished') from audit_entries`) == 0
	})
	outcomes := read[map[string]int](t, e.door, `select coalesce(json_object_agg(outcome, n), '{}') from
		(select details->>'outcome' as outcome, count(*) as n from audit_entries where action = 'export.finished' group by 1) o`)
	t.Logf("answers %v, outcomes %v", got, outcomes)
	require.Zero(t, got[http.StatusUnauthorized], "%v", got)
	require.Zero(t, outcomes["key_unusable"], "%v", outcomes)
	require.Positive(t, outcomes["database_unavailable"], "no export ran in the silence: %v", outcomes)
	for status := range got {
		require.True(t, slices.Contains([]int{http.StatusOK, http.StatusServiceUnavailable}, status), "%v", got)
	}
	require.Equal(t, http.StatusOK, ask(t, client(), e.url+e.path, e.token).StatusCode)
}

// When a connection stays silent, the client of an export learns it soon, and dg exits within its grace and a few seconds after
// SIGTERM.
func TestSilentDatabaseAbortsExportsAndDoesNotDelayTheStop(t *testing.T) {
	t.Parallel()
	e, r := overRelay(t, 50_000)
	_, body := e.begin(t, "black-hole-0001")
	_, err := io.CopyN(io.Discard, body, 64<<10)
	require.NoError(t, err)
	r.open.Lock()
	defer r.open.Unlock()
	silent := time.Now()
	_, err = io.Copy(io.Discard, body)
	took := time.Since(silent)
	require.Error(t, err)
	t.Logf("the reader heard %s after the database fell silent", took.Round(time.Millisecond))
	require.Less(t, took, 5*time.Second)

	begun := time.Now()
	require.NoError(t, e.Process.Signal(syscall.SIGTERM))
	e.status(40 * time.Second)
	took = time.Since(begun)
	t.Logf("dg ended %s after SIGTERM", took.Round(time.Millisecond))
	require.Less(t, took, 20*time.Second)
}

// Dead connections cost one short wait for all of them, not one each.
func TestDeadConnectionsAreReplacedTogether(t *testing.T) {
	t.Parallel()
	e, r := overRelay(t, 1000)
	everybody := func() time.Duration {
		begun := time.Now()
		var asking sync.WaitGroup
		for i := range 12 {
			asking.Go(func() {
				response := ask(t, client(), e.url+"/api/v1/forks", e.more[i%4])
				if response.StatusCode != http.StatusOK {
					t.Errorf("status %d after %s", response.StatusCode, time.Since(begun))
				}
			})
		}
		asking.Wait()
		return time.Since(begun)
	}
	usual := everybody()
	r.forget()
	<-time.After(1100 * time.Millisecond) // a connection that was idle for less is not asked whether it lives
	frozen := everybody()
	t.Logf("12 requests at once: %s, and %s on frozen connections", usual.Round(time.Millisecond), frozen.Round(time.Millisecond))
	require.Less(t, frozen, 10*time.Second)
	require.Less(t, everybody(), 10*time.Second)
}

// A URL that asks for results as text is refused at the start: the program reads binary ones.
func TestTextResultsAreRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	x := newExternal(t)
	for _, mode := range []string{"exec", "simple_protocol"} {
		c := launch(t, "serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
			"--database-url", x.url(url.User("dg_app"))+"&default_query_exec_mode="+mode, "--migrate-database-url", x.url(url.User("dg_owner")))
		until(t, 30*time.Second, "it serves with "+mode, func() bool {
			select {
			case <-c.exited:
				return true
			default:
				return false
			}
		})
		require.Equal(t, 1, c.status(time.Second))
		require.Contains(t, c.log.String(), "default_query_exec_mode")
	}
}
