package apptest

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Relay is a proxy in front of a database that can become silent: it accepts connections, closes
// none and forwards nothing.
type Relay struct {
	net.Listener
	socket string
	Open   sync.RWMutex // write-locked while the relay is silent
	era    atomic.Int64 // connections of an earlier era stay silent
}

// NewRelay starts a relay in front of the server.
func NewRelay(t *testing.T, x *External) *Relay {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &Relay{Listener: ln, socket: filepath.Join(x.Link, ".s.PGSQL.5432")}
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

func (r *Relay) carry(ctx context.Context, client net.Conn) {
	era := r.era.Load()
	r.wait()
	var d net.Dialer
	server, err := d.DialContext(ctx, "unix", r.socket)
	if err != nil {
		_ = client.Close()
		return
	}
	stop := context.AfterFunc(ctx, func() {
		_ = client.Close()
		_ = server.Close()
	})
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
				_ = client.Close()
				_ = server.Close()
				return
			}
		}
	}
	go one(server, client)
	one(client, server)
}

// wait returns when the relay is not silent.
func (r *Relay) wait() {
	r.Open.RLock()
	defer r.Open.RUnlock()
}

// Forget silences all open connections for good. New connections work.
func (r *Relay) Forget() { r.era.Add(1) }

// URL connects as the serving role, through the relay.
func (r *Relay) URL() string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User("dg_app"),
		Host:     r.Addr().String(),
		Path:     "/dg",
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// SocketProxy is a proxy in front of PostgreSQL: pass carries the messages of a client and the
// server. It returns the URL of the database through it.
func SocketProxy(
	t *testing.T, database string, pass func(client, server net.Conn),
) (through string) {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	q := u.Query()
	socket := filepath.Join(q.Get("host"), ".s.PGSQL."+cmp.Or(q.Get("port"), "5432"))
	dir, err := os.MkdirTemp("", "relay")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	ln, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for client, err := ln.Accept(); err == nil; client, err = ln.Accept() {
			if server, err := net.Dial("unix", socket); err == nil {
				go pass(client, server)
			} else {
				_ = client.Close()
			}
		}
	}()
	q.Set("host", dir)
	q.Set("port", "5432")
	u.Host = ""
	u.RawQuery = q.Encode()
	return u.String()
}
