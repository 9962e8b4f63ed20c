package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	loadClients     = 64                    // clients that request the largest reports
	requestInterval = 50 * time.Millisecond // between the starts of small requests
	measureWindow   = 8 * time.Second       // length of one measurement
)

// measureAdmission measures the latency of small requests, with and without load: two other organisations
// request the largest reports.
func measureAdmission(ctx context.Context, b *bench) error {
	smallClient := b.newClient(&b.data.Small)
	largeClients := [2]*client{b.newClient(&b.data.Main), b.newClient(&b.data.Other)}
	smallP99 := func(ctx context.Context) (float64, error) {
		return smallClient.percentile99(ctx, b.path("stats", smallClient.dataset, 30))
	}
	withLoad := func(ctx context.Context) (p99 float64, err error) {
		loadCtx, cancel := context.WithCancel(ctx)
		var load errgroup.Group
		for i := range loadClients {
			c := largeClients[i%2]
			load.Go(func() error { return c.repeat(loadCtx, b.path("stats", c.dataset, 366)) })
		}
		p99, err = smallP99(ctx)
		cancel()
		return p99, errors.Join(err, load.Wait())
	}
	title := fmt.Sprintf("99th percentile of small statistics, beside %d of the largest of others; "+
		"without them", loadClients)
	return b.compare(ctx, title, 3, withLoad, smallP99)
}

// repeat sends a request repeatedly until ctx ends or it fails. It pauses a second after a 503.
func (c *client) repeat(ctx context.Context, path string) error {
	for ctx.Err() == nil {
		err := c.get(ctx, path)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, errBusy):
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		case err != nil:
			return err
		}
	}
	return nil
}

// percentile99 sends requests at a steady rate, without waiting for earlier responses, and returns the
// 99th percentile of their latency in milliseconds. Latency counts from when a request is due, to avoid
// coordinated omission.
func (c *client) percentile99(ctx context.Context, path string) (float64, error) {
	latencies := make([]float64, measureWindow/requestInterval)
	var tasks errgroup.Group
	start := time.Now()
	for i := range latencies {
		due := start.Add(time.Duration(i) * requestInterval)
		tasks.Go(func() error {
			<-time.After(time.Until(due))
			err := c.get(ctx, path)
			latencies[i] = milliseconds(time.Since(due))
			return err
		})
	}
	err := tasks.Wait()
	slices.Sort(latencies)
	return latencies[int(math.Ceil(0.99*float64(len(latencies))))-1], err
}
