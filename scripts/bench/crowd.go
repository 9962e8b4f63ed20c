package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// crowd is a number of clients of other organisations that go on until they leave.
type crowd struct {
	stop             context.CancelFunc
	all              sync.WaitGroup
	answered, busied atomic.Int64
	failed           chan error
}

// errEnough is returned by the work of a client that stays as it is.
var errEnough = errors.New("enough")

// newCrowd starts n clients that repeat their work, and returns when each has had an answer. A
// client that was answered 503 comes again after a second.
func newCrowd(
	ctx context.Context, n int, work func(ctx context.Context, nth, try int) error,
) *crowd {
	ctx, stop := context.WithCancel(ctx)
	c := &crowd{stop: stop, failed: make(chan error, n)}
	var begun sync.WaitGroup
	begun.Add(n)
	for i := range n {
		c.all.Go(func() {
			first := sync.OnceFunc(begun.Done)
			defer first()
			for try := 0; ctx.Err() == nil; try++ {
				err := work(ctx, i, try)
				switch {
				case ctx.Err() != nil:
				case errors.Is(err, errBusy):
					c.busied.Add(1)
					first()
					select {
					case <-ctx.Done():
					case <-time.After(time.Second):
					}
				case errors.Is(err, errEnough):
					return
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

const stalledReaders = 500

// stalled measures what others notice of 500 readers of exports that stop reading, and how soon
// their exports end.
func stalled(ctx context.Context, b *bench) error {
	c, err := b.client(ctx, b.main.IDs.Organisation.String())
	if err != nil {
		return err
	}
	paths := []string{"/api/v1/forks", b.last(b.main, 30).statsPath()}
	every := []time.Duration{5 * time.Millisecond, 100 * time.Millisecond}
	beside := func() (p99 [2]float64, err error) {
		err = atOnce(2, func(i int) (err error) {
			p99[i], err = c.steadily(ctx, paths[i], every[i], 10*time.Second)
			return err
		})
		return p99, err
	}
	var alone, crowded [2]sample
	var lasted []float64
	var busied int64
	for range minRounds {
		quiet, err := beside()
		if err != nil {
			return err
		}
		readers, leave := b.stall(ctx, c.keys)
		loud, err := beside()
		if err = errors.Join(err, readers.leave()); err != nil {
			return errors.Join(err, leave(nil))
		}
		if err := leave(&lasted); err != nil {
			return err
		}
		busied += readers.busied.Load()
		for i := range paths {
			alone[i] = append(alone[i], []float64{quiet[i]})
			crowded[i] = append(crowded[i], []float64{loud[i]})
		}
	}
	for i, name := range []string{"fork list", "statistics, 30 days,"} {
		b.report.atMost(
			fmt.Sprintf("%s beside %d stalled exports, 99th percentile; limit: without them", name,
				stalledReaders), inMilliseconds, crowded[i], alone[i], 2,
		)
	}
	b.report.within("stalled exports: until each has ended", inMilliseconds, figures(lasted...),
		30_000)
	b.report.note("%d exports stalled; %d times a reader was answered 503 and came again",
		len(lasted), busied)
	return nil
}

// stall lets all readers request the longest export and read its beginning only, as other hosts
// with small buffers would. leave waits until every stalled export has ended, adds how long each
// had stalled, in milliseconds, and closes them.
func (b *bench) stall(
	ctx context.Context, keys *keyRing,
) (c *crowd, leave func(lasted *[]float64) error) {
	prefix := fmt.Sprintf("bench-stalled-%d-", time.Now().UnixNano())
	q := b.last(b.main, 366)
	var mu sync.Mutex
	var open []io.Closer
	since := map[string]time.Time{}
	from := reading(16 << 10)
	c = newCrowd(ctx, stalledReaders, func(_ context.Context, nth, try int) error {
		id := fmt.Sprintf("%s%d-%d", prefix, nth, try)
		d, err := b.download(ctx, from, q.exportPath(), keys.header(), id)
		if err != nil {
			return err
		}
		mu.Lock()
		open = append(open, d)
		since[id] = time.Now()
		mu.Unlock()
		return errEnough // it has its export, and reads no more
	})
	return c, func(lasted *[]float64) (err error) {
		defer func() {
			for _, d := range open {
				_ = d.Close()
			}
		}()
		if lasted == nil {
			return nil
		}
		all, err := b.awaitExports(ctx, prefix, len(since))
		for _, e := range all {
			*lasted = append(*lasted, milliseconds(e.at.Sub(since[e.requestID])))
		}
		return err
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
	var keys [2]*keyRing
	for i, q := range large {
		if keys[i], err = b.keysOf(ctx, q.organisation()); err != nil {
			return err
		}
	}
	asking := func() (float64, error) {
		return c.steadily(ctx, b.last(small, 30).statsPath(), 50*time.Millisecond, 8*time.Second)
	}
	n, err := noticed(5, asking, func() *crowd {
		return newCrowd(ctx, 64, func(ctx context.Context, nth, _ int) error {
			return b.readAll(ctx, large[nth%2].statsPath(), keys[nth%2])
		})
	})
	if err != nil {
		return err
	}
	ratio := n.beside.over(n.alone)
	b.report.line("small statistics, 99th percentile, beside 64 of the largest reports of "+
		"others; limit: without them", inMilliseconds,
		n.beside, n.alone, ratio, "≤ 3 x or 25 ms", ratio <= 3 || n.beside.median() <= 25, false)
	b.report.note(
		"beside the small requests %d of the largest reports were answered and %d were refused "+
			"with 503", n.answered, n.busied,
	)
	return nil
}

// readAll reads an answer to its end.
func (b *bench) readAll(ctx context.Context, path string, keys *keyRing) error {
	d, err := b.download(ctx, reading(0), path, keys.header(), "bench-crowd")
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = io.Copy(io.Discard, d.Reader)
	return err
}

// notice is what a client notices of crowds, and what became of their requests.
type notice struct {
	alone, beside    sample
	answered, busied int64
}

// noticed measures by turns without a crowd and beside one.
func noticed(
	rounds int, asking func() (float64, error), gather func() *crowd,
) (n notice, err error) {
	if _, err := asking(); err != nil { // warms caches
		return n, err
	}
	for range rounds {
		alone, err := asking()
		if err != nil {
			return n, err
		}
		others := gather()
		beside, err := asking()
		if err = errors.Join(err, others.leave()); err != nil {
			return n, err
		}
		n.alone = append(n.alone, []float64{alone})
		n.beside = append(n.beside, []float64{beside})
		n.answered += others.answered.Load()
		n.busied += others.busied.Load()
	}
	return n, nil
}
