package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// crowd is a number of clients of other organisations that repeat a request until they leave.
type crowd struct {
	stop              context.CancelFunc
	all               sync.WaitGroup
	answered, refused atomic.Int64
	failed            chan error
}

// newCrowd starts n clients, and returns when each has had an answer. A client that was answered
// 503 comes again after a second.
func newCrowd(ctx context.Context, n int, request func(ctx context.Context, nth int) error) *crowd {
	ctx, stop := context.WithCancel(ctx)
	c := &crowd{stop: stop, failed: make(chan error, n)}
	var begun sync.WaitGroup
	begun.Add(n)
	for i := range n {
		c.all.Go(func() {
			first := sync.OnceFunc(begun.Done)
			defer first()
			for ctx.Err() == nil {
				err := request(ctx, i)
				switch {
				case ctx.Err() != nil:
				case errors.Is(err, errBusy):
					c.refused.Add(1)
					first()
					select {
					case <-ctx.Done():
					case <-time.After(time.Second):
					}
				case err != nil:
					c.failed <- err
					return
				default:
					c.answered.Add(1)
				}
				first()
			}
		})
	}
	begun.Wait()
	return c
}

// leave ends the crowd and returns its first failure.
func (c *crowd) leave() error {
	c.stop()
	c.all.Wait()
	select {
	case err := <-c.failed:
		return err
	default:
		return nil
	}
}

// admission measures what small requests of an organisation notice of two others that ask for the
// largest reports.
func admission(ctx context.Context, b *bench) error {
	second, err := b.dataset(ctx, dataset{Plays: 200_000, Players: b.main.Players, Forks: 1})
	if err != nil {
		return err
	}
	small, err := b.dataset(ctx, dataset{Plays: 10_000, Players: 500, Forks: 1})
	if err != nil {
		return err
	}
	c, err := b.client(ctx, small.IDs.Organisation.String())
	if err != nil {
		return err
	}
	large := [2]query{b.last(b.main, 366), b.last(second, 366)}
	var from [2]*client
	for i, q := range large {
		if from[i], err = b.client(ctx, q.organisation()); err != nil {
			return err
		}
	}
	measureSmall := func() (float64, error) {
		return c.steadily(ctx, b.last(small, 30).statsPath(), 50*time.Millisecond, 8*time.Second)
	}
	if _, err := measureSmall(); err != nil { // warms caches
		return err
	}
	var alone, beside sample
	var answered, refused int64
	for range minRounds {
		quiet, err := measureSmall()
		if err != nil {
			return err
		}
		others := newCrowd(ctx, 64, func(ctx context.Context, nth int) error {
			return from[nth%2].get(ctx, large[nth%2].statsPath())
		})
		loud, err := measureSmall()
		if err = errors.Join(err, others.leave()); err != nil {
			return err
		}
		alone = append(alone, []float64{quiet})
		beside = append(beside, []float64{loud})
		answered += others.answered.Load()
		refused += others.refused.Load()
	}
	ratio := beside.over(alone)
	b.report.line("small statistics, 99th percentile, beside 64 of the largest reports of "+
		"others; limit: without them", inMilliseconds,
		beside, alone, ratio, "≤ 3 x or 25 ms", ratio <= 3 || beside.median() <= 25)
	b.report.note(
		"beside the small requests %d of the largest reports were answered and %d were refused "+
			"with 503", answered, refused,
	)
	return nil
}
