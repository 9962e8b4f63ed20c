package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// client sends requests over keep-alive connections, with an organisation's keys in rotation.
type client struct {
	http         *http.Client
	baseURL      string
	dataset      *dataset
	requestCount atomic.Uint64 // selects the key of the next request
}

func (b *bench) newClient(d *dataset) *client {
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256}
	return &client{http: &http.Client{Transport: transport}, baseURL: "http://" + b.server.addr, dataset: d}
}

// errBusy means that dg answered 503.
var errBusy = errors.New("503")

func (c *client) get(ctx context.Context, path string) error {
	return c.read(ctx, path, io.Discard)
}

// read sends a request and copies the body. Any status but 200 is an error; 503 is errBusy.
func (c *client) read(ctx context.Context, path string, body io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.baseURL+path, http.NoBody)
	if err != nil {
		return err
	}
	keyIndex := c.requestCount.Add(1) % uint64(len(c.dataset.Headers))
	request.Header.Set("Authorization", c.dataset.Headers[keyIndex])
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		_, err = io.Copy(body, response.Body)
		return err
	case http.StatusServiceUnavailable:
		return errBusy
	}
	return fmt.Errorf("GET %s: %s", path, response.Status)
}

func (c *client) getFunc(path string) func(context.Context) error {
	return func(ctx context.Context) error { return c.get(ctx, path) }
}

// period returns the midnight before the last days of the plays, and the midnight after them.
func (b *bench) period(days int) (from, end time.Time) {
	end = b.data.Now.Truncate(24*time.Hour).AddDate(0, 0, 1)
	return end.AddDate(0, 0, -days), end
}

// path returns the path and query of a report on the last days of a dataset's fork.
func (b *bench) path(report string, d *dataset, days int) string {
	from, end := b.period(days)
	return fmt.Sprintf("/api/v1/forks/%s/%s?from=%s&to=%s", d.IDs.Fork, report,
		from.Format(time.DateOnly), end.AddDate(0, 0, -1).Format(time.DateOnly))
}
