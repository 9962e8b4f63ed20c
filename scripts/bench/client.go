package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// connections is how many clients ask at once in a test of rates.
const connections = 32

// newClient makes a client that keeps its connections, and leaves answers as they come.
func newClient(addr string) *fasthttp.HostClient {
	return &fasthttp.HostClient{Addr: addr, MaxConns: connections, MaxIdemponentCallAttempts: 1, ReadBufferSize: 64 << 10}
}

// get asks once; anything but 200 is a failure.
func get(c *fasthttp.HostClient, path, authorization string, request *fasthttp.Request, response *fasthttp.Response) error {
	request.SetRequestURI("http://" + c.Addr + path)
	request.Header.Set(fasthttp.HeaderAuthorization, authorization)
	if err := c.Do(request, response); err != nil {
		return err
	}
	if status := response.StatusCode(); status != fasthttp.StatusOK {
		return fmt.Errorf("GET %s: %d: %.200s", path, status, response.Body())
	}
	return nil
}

// asker asks dg one request after another on a connection that is kept.
type asker struct {
	client   *fasthttp.HostClient
	ring     *keyRing
	request  fasthttp.Request
	response fasthttp.Response
}

func (b *bench) asker(ring *keyRing) *asker {
	return &asker{client: newClient(b.server.addr), ring: ring}
}

// get returns the body, which the next answer overwrites.
func (a *asker) get(path string) ([]byte, error) {
	if err := get(a.client, path, a.ring.header(), &a.request, &a.response); err != nil {
		return nil, err
	}
	return a.response.Body(), nil
}

// asking is a contestant's work: one request.
func (a *asker) asking(path string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := a.get(path)
		return err
	}
}

// rate asks for a path over all connections until the time is over, and returns the answers in a second.
func rate(ctx context.Context, c *fasthttp.HostClient, path string, header func() string, lasting time.Duration) (float64, error) {
	ctx, stop := context.WithTimeout(ctx, lasting)
	defer stop()
	var count atomic.Int64
	failed := make(chan error, connections)
	var all sync.WaitGroup
	began := time.Now()
	for range connections {
		all.Go(func() {
			var request fasthttp.Request
			var response fasthttp.Response
			for ctx.Err() == nil {
				if err := get(c, path, header(), &request, &response); err != nil {
					failed <- err
					stop()
					return
				}
				count.Add(1)
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	select {
	case err := <-failed:
		return 0, err
	default:
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return 0, ctx.Err()
	}
	return float64(count.Load()) / took.Seconds(), nil
}

// download is one export as a client sees it that throws the text away.
type download struct {
	conn  net.Conn
	began time.Time
	first time.Duration // until the first byte of the body
	buf   []byte
	bytes int64
	end   []byte
}

// begin asks for an export and reads its first block.
func (b *bench) begin(ctx context.Context, q query) (*download, error) {
	ring, err := b.ring(ctx, q.organisation(), mainKeys)
	if err != nil {
		return nil, err
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", b.server.addr)
	if err != nil {
		return nil, err
	}
	d := &download{conn: conn, buf: make([]byte, 256<<10), began: time.Now()}
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nConnection: close\r\n\r\n", q.exportPath(), b.server.addr, ring.header())
	if err != nil {
		conn.Close()
		return nil, err
	}
	if err := d.head(); err != nil {
		conn.Close()
		return nil, err
	}
	return d, nil
}

// head reads until the body has begun.
func (d *download) head() error {
	have := 0
	for {
		n, err := d.conn.Read(d.buf[have:])
		have += n
		if at := bytes.Index(d.buf[:have], []byte("\r\n\r\n")); at >= 0 && at+4 < have {
			d.first = time.Since(d.began)
			if !bytes.HasPrefix(d.buf, []byte("HTTP/1.1 200 ")) {
				return fmt.Errorf("export: %.300s", d.buf[:have])
			}
			d.take(d.buf[at+4 : have])
			return nil
		}
		if err != nil {
			return fmt.Errorf("export ended in its head: %w", err)
		}
	}
}

func (d *download) take(block []byte) {
	d.bytes += int64(len(block))
	d.end = append(d.end, block[max(0, len(block)-len(lastChunk)):]...)
	d.end = d.end[max(0, len(d.end)-len(lastChunk)):]
}

// lastChunk is how a whole body ends.
const lastChunk = "\r\n0\r\n\r\n"

// read throws at least so many bytes away; -1 means all to the end, which must be a whole one.
func (d *download) read(most int64) error {
	for most < 0 || d.bytes < most {
		n, err := d.conn.Read(d.buf)
		if n > 0 {
			d.take(d.buf[:n])
		}
		if errors.Is(err, io.EOF) && bytes.HasSuffix(d.end, []byte(lastChunk)) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("export broke off: %w", err)
		}
	}
	return nil
}
