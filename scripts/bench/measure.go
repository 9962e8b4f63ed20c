package main

import (
	"context"
	"log"
	"slices"
	"time"
)

// work is one of two ways to do the same. It returns how long it took, in milliseconds.
type work func(context.Context) (float64, error)

// timed is work by the clock: the mean of several runs, because one quick run says little.
func timed(times int, do func(context.Context) error) work {
	return func(ctx context.Context) (float64, error) {
		began := time.Now()
		for range times {
			if err := do(ctx); err != nil {
				return 0, err
			}
		}
		return milliseconds(time.Since(began)) / float64(times), nil
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

const rounds = 5

// compare does ours and the limit in turns and reports their ratio, which should be at most bar. A
// first round is not counted: it fills caches.
func (b *bench) compare(ctx context.Context, title string, bar float64, ours, limit work) error {
	log.Print(title)
	var r row
	for round := range rounds + 1 {
		first, err := ours(ctx)
		if err != nil {
			return err
		}
		second, err := limit(ctx)
		if err != nil {
			return err
		}
		if round > 0 {
			r.ours = append(r.ours, first)
			r.limit = append(r.limit, second)
			r.ratios = append(r.ratios, first/second) // both saw the same seconds of the machine
		}
	}
	r.title = title
	r.bar = bar
	b.report.rows = append(b.report.rows, r)
	return nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
