package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// The largest reports of two organisations, asked for again and again, beside small requests of a third.
const (
	worstRequests   = 64
	worstPlays      = 200_000 // of the second organisation
	worstBar        = 3.0
	worstAnyhow     = 25.0 // milliseconds: no slower is never too slow
	worstRounds     = 5
	worstFor        = 8 * time.Second
	smallStatsEvery = 50 * time.Millisecond
)

// admission measures what small requests of an organisation notice of others that ask for as much as they can.
func (b *bench) admission(ctx context.Context) error {
	second, err := b.ensure(ctx, dataset{Plays: worstPlays, Players: b.main.Players, Forks: 1})
	if err != nil {
		return err
	}
	little, err := b.ensure(ctx, dataset{Plays: leastPlays, Players: 500, Forks: 1})
	if err != nil {
		return err
	}
	ring, err := b.ring(ctx, little.IDs.Organisation.String(), mainKeys)
	if err != nil {
		return err
	}
	client := &fasthttp.HostClient{Addr: b.server.addr, MaxConns: 256, MaxIdemponentCallAttempts: 1, ReadBufferSize: 64 << 10}
	defer client.CloseIdleConnections()
	small := func() (float64, error) {
		ctx, stop := context.WithTimeout(ctx, worstFor)
		defer stop()
		return steadily(ctx, client, b.last(&little, 30).statsPath(), ring, smallStatsEvery)
	}
	if _, err := small(); err != nil { // warms caches
		return err
	}
	var quiet, crowded sample
	var answered, refused int64
	for range worstRounds {
		alone, err := small()
		if err != nil {
			return err
		}
		crowd, err := b.worst(ctx, b.last(&b.main, 366), b.last(&second, 366))
		if err != nil {
			return err
		}
		beside, err := small()
		if err = errors.Join(err, crowd.leave()); err != nil {
			return fmt.Errorf("beside the largest reports: %w", err)
		}
		quiet, crowded = append(quiet, []float64{alone}), append(crowded, []float64{beside})
		answered, refused = answered+crowd.answered.Load(), refused+crowd.refused.Load()
	}
	ratio := crowded.over(quiet)
	b.add(line{
		work: fmt.Sprintf("small statistics, 99th percentile, beside %d of the largest reports of others; limit: without them", worstRequests),
		ours: crowded, limit: quiet, unit: inMilliseconds, ratio: ratio,
		bar: fmt.Sprintf("≤ %s x or %s", number(worstBar), inMilliseconds(worstAnyhow)), holds: ratio <= worstBar || crowded.median() <= worstAnyhow,
	})
	b.notes = append(b.notes, fmt.Sprintf("beside the small requests, %d of the largest reports were answered and %d were refused with 503", answered, refused))
	return nil
}

// worstCrowd asks for the largest reports until it leaves.
type worstCrowd struct {
	stop              func()
	all               sync.WaitGroup
	answered, refused atomic.Int64
	mu                sync.Mutex
	failed            error
}

func (c *worstCrowd) leave() error {
	c.stop()
	c.all.Wait()
	return c.failed
}

// worst begins to ask for reports in turn. It returns when the first is answered.
func (b *bench) worst(ctx context.Context, queries ...query) (*worstCrowd, error) {
	rings := make([]*keyRing, len(queries))
	for i, q := range queries {
		var err error
		if rings[i], err = b.ring(ctx, q.organisation(), mainKeys); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	c := &worstCrowd{stop: stop}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: worstRequests}}
	first := make(chan struct{})
	begun := sync.OnceFunc(func() { close(first) })
	for i := range worstRequests {
		c.all.Go(func() {
			defer begun()
			for ctx.Err() == nil {
				status, err := b.worstOne(ctx, client, queries[i%len(queries)], rings[i%len(queries)].header())
				switch {
				case ctx.Err() != nil:
				case err == nil && status == http.StatusOK:
					c.answered.Add(1)
				case err == nil && status == http.StatusServiceUnavailable:
					c.refused.Add(1)
				default:
					c.mu.Lock()
					c.failed = errors.Join(c.failed, fmt.Errorf("status %d: %w", status, err))
					c.mu.Unlock()
					return
				}
				begun()
			}
		})
	}
	<-first
	return c, nil
}

func (b *bench) worstOne(ctx context.Context, client *http.Client, q query, authorization string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.server.addr+q.statsPath(), http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", authorization)
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}
