package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
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
		prefix := fmt.Sprintf("bench-stalled-%d-", time.Now().UnixNano())
		readers, leave := b.stall(ctx, c, prefix)
		loud, err := beside()
		err = errors.Join(err, readers.leave())
		var ended []float64
		if err == nil {
			ended, err = b.stalledFor(ctx, prefix, stalledReaders)
		}
		leave()
		if err != nil {
			return err
		}
		lasted = append(lasted, ended...)
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
// with small buffers would. leave closes their connections.
func (b *bench) stall(
	ctx context.Context, c *client, prefix string,
) (readers *crowd, leave func()) {
	q := b.last(b.main, 366)
	var mu sync.Mutex
	var open []io.Closer
	from := c.withReceiveBuffer(16 << 10)
	readers = newCrowd(ctx, stalledReaders, func(_ context.Context, nth, try int) error {
		d, err := from.begin(ctx, q.exportPath(), fmt.Sprintf("%s%d-%d", prefix, nth, try))
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		open = append(open, d)
		return errEnough // it has its export, and reads no more
	})
	return readers, func() {
		for _, d := range open {
			_ = d.Close()
		}
	}
}

// stalledFor waits until the audit log has the end of n exports whose request ids begin so, and
// returns how long each lasted, in milliseconds.
func (b *bench) stalledFor(ctx context.Context, prefix string, n int) ([]float64, error) {
	for deadline := time.Now().Add(time.Minute); ; {
		rows, err := b.reads.Query(ctx, `/* bench.stalled */
			select 1000 * extract(epoch from max(at) - min(at))::float8 from audit_entries
			 where org_id = $1 and starts_with(request_id, $2) group by request_id
			having bool_or(action = 'export.finished')`, b.main.IDs.Organisation, prefix)
		if err != nil {
			return nil, err
		}
		lasted, err := pgx.CollectRows(rows, pgx.RowTo[float64])
		if err != nil || len(lasted) == n {
			return lasted, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%d of %d exports have ended", len(lasted), n)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
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
	asking := func() (float64, error) {
		return c.steadily(ctx, b.last(small, 30).statsPath(), 50*time.Millisecond, 8*time.Second)
	}
	if _, err := asking(); err != nil { // warms caches
		return err
	}
	var alone, beside sample
	var answered, busied int64
	for range 5 {
		quiet, err := asking()
		if err != nil {
			return err
		}
		others := newCrowd(ctx, 64, func(ctx context.Context, nth, _ int) error {
			return from[nth%2].get(ctx, large[nth%2].statsPath())
		})
		loud, err := asking()
		if err = errors.Join(err, others.leave()); err != nil {
			return err
		}
		alone = append(alone, []float64{quiet})
		beside = append(beside, []float64{loud})
		answered += others.answered.Load()
		busied += others.busied.Load()
	}
	ratio := beside.over(alone)
	b.report.line("small statistics, 99th percentile, beside 64 of the largest reports of "+
		"others; limit: without them", inMilliseconds,
		beside, alone, ratio, "≤ 3 x or 25 ms", ratio <= 3 || beside.median() <= 25, false)
	b.report.note(
		"beside the small requests %d of the largest reports were answered and %d were refused "+
			"with 503", answered, busied,
	)
	return nil
}
