package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// client sends requests with an organisation's keys over connections that are kept.
type client struct {
	http *http.Client
	addr string
	keys *keyRing
}

// client returns a client of an organisation.
func (b *bench) client(ctx context.Context, organisation string) (*client, error) {
	keys, err := b.keysOf(ctx, organisation)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256}
	return &client{&http.Client{Transport: transport}, b.server.addr, keys}, nil
}

// errBusy means that dg answered 503.
var errBusy = errors.New("503")

// begin sends a request and waits for the first byte of the body. Any status but 200 is an error.
// Errors: errBusy.
func (c *client) begin(ctx context.Context, path string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.addr+path,
		http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", c.keys.header())
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	body := bufio.NewReader(response.Body)
	_, err = body.Peek(1)
	switch {
	case response.StatusCode == http.StatusServiceUnavailable:
		err = fmt.Errorf("GET %s: %w", path, errBusy)
	case response.StatusCode != http.StatusOK:
		err = fmt.Errorf("GET %s: %s", path, response.Status)
	}
	if err != nil {
		return nil, errors.Join(err, response.Body.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{body, response.Body}, nil
}

// get sends a request and reads the answer to its end.
func (c *client) get(ctx context.Context, path string) error {
	body, err := c.begin(ctx, path)
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(io.Discard, body)
	return err
}

// getting returns the work of a contestant: one request.
func (c *client) getting(path string) func(context.Context) error {
	return func(ctx context.Context) error { return c.get(ctx, path) }
}

// atOnce runs n workers and returns the first error of them.
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
		err := c.get(ctx, path)
		took[i] = milliseconds(time.Since(due))
		return err
	})
	return percentile99(took), err
}
