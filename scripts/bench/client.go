package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// client sends requests with an organisation's keys over connections that are kept. It is
// fasthttp's, which costs the machine least.
type client struct {
	host *fasthttp.HostClient
	keys *keyRing // nil: no key
}

func newClient(addr string, keys *keyRing) *client {
	return &client{
		&fasthttp.HostClient{
			Addr:                      addr,
			MaxConns:                  256,
			MaxConnWaitTimeout:        time.Minute,
			MaxIdemponentCallAttempts: 1,
			ReadBufferSize:            64 << 10,
		}, keys,
	}
}

// client returns one of an organisation.
func (b *bench) client(ctx context.Context, organisation string) (*client, error) {
	keys, err := b.keysOf(ctx, organisation)
	if err != nil {
		return nil, err
	}
	return newClient(b.server.addr, keys), nil
}

// get sends one request and hands its body to use, which must not keep it. Any status but 200 is an
// error.
func (c *client) get(path string, use func(body []byte) error) error {
	request := fasthttp.AcquireRequest()
	response := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	request.SetRequestURI("http://" + c.host.Addr + path)
	if c.keys != nil {
		request.Header.Set(fasthttp.HeaderAuthorization, c.keys.header())
	}
	if err := c.host.Do(request, response); err != nil {
		return err
	}
	if status := response.StatusCode(); status != fasthttp.StatusOK {
		return fmt.Errorf("GET %s: %d: %.200s", path, status, response.Body())
	}
	if use == nil {
		return nil
	}
	return use(response.Body())
}

// getting is the work of a contestant: one request.
func (c *client) getting(path string) func(context.Context) error {
	return func(ctx context.Context) error { return errors.Join(ctx.Err(), c.get(path, nil)) }
}

// atOnce runs n workers and returns the first error among them.
func atOnce(n int, work func(nth int) error) error {
	var all sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		all.Go(func() { errs[i] = work(i) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// steadily sends requests at a steady rate, whether earlier ones are answered or not, and returns
// the 99th percentile in milliseconds, each from the moment at which the request was due.
func (c *client) steadily(
	ctx context.Context, path string, every, lasting time.Duration,
) (float64, error) {
	n := int(lasting / every)
	took := make([]float64, n)
	began := time.Now()
	err := atOnce(n, func(i int) error {
		due := began.Add(time.Duration(i) * every)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(due)):
		}
		err := c.get(path, nil)
		took[i] = milliseconds(time.Since(due))
		return err
	})
	return percentile99(took), err
}

// download is an answer of 200 whose body is read piece by piece.
type download struct {
	io.Reader
	io.Closer
	first time.Duration // until the first byte of the body
}

// errBusy says that dg answered 503.
var errBusy = errors.New("503")

// reading makes a client of downloads: a connection for each, with the machine's receive buffer or
// a smaller one.
func reading(buffer int) *http.Client {
	return &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true,
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
				if tcp, ok := conn.(*net.TCPConn); ok && buffer > 0 {
					err = tcp.SetReadBuffer(buffer)
				}
				return conn, err
			}},
	}
}

// download requests a path and waits for the first byte of the body. Errors: errBusy.
func (b *bench) download(
	ctx context.Context, from *http.Client, path, authorization, requestID string,
) (*download, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.server.addr+path,
		http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", authorization)
	request.Header.Set("X-Request-Id", requestID)
	began := time.Now()
	response, err := from.Do(request)
	if err != nil {
		return nil, err
	}
	body := bufio.NewReader(response.Body)
	_, err = body.Peek(1)
	switch {
	case response.StatusCode == http.StatusServiceUnavailable:
		err = errBusy
	case response.StatusCode != http.StatusOK:
		err = fmt.Errorf("GET %s: %s", path, response.Status)
	}
	if err != nil {
		return nil, errors.Join(err, response.Body.Close())
	}
	return &download{body, response.Body, time.Since(began)}, nil
}
