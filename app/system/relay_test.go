package system

import (
	"context"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// relay is a proxy in front of a database that can become silent: it accepts connections, closes
// none and forwards nothing.
type relay struct {
	net.Listener
	socket string
	open   sync.RWMutex // write-locked while the relay is silent
}

// newRelay starts a relay in front of the server.
func newRelay(t *testing.T, x *apptest.External) *relay {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &relay{Listener: ln, socket: filepath.Join(x.Link, ".s.PGSQL.5432")}
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
func (r *relay) wait() {
	r.open.RLock()
	defer r.open.RUnlock()
}

// url connects as the serving role, through the relay.
func (r *relay) url() string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User("dg_app"),
		Host:     r.Addr().String(),
		Path:     "/dg",
		RawQuery: "sslmode=disable",
	}
	return u.String()
}
