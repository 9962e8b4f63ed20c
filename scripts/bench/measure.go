package main

import (
	"context"
	"log"
	"slices"
	"time"
)

// work runs a measured operation or its baseline, and returns the time in milliseconds.
type work func(context.Context) (float64, error)

// timedWork returns work that reports the mean of several runs, because a single quick run is noisy.
func timedWork(times int, f func(context.Context) error) work {
	return func(ctx context.Context) (float64, error) {
		began := time.Now()
		for range times {
			if err := f(ctx); err != nil {
				return 0, err
			}
		}
		return milliseconds(time.Since(began)) / float64(times), nil
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

const rounds = 5 // without the warm-up

// compare runs ours and the baseline alternately, and reports the ratio, which should be at most maxRatio.
// The first round warms up and does not count.
func (b *bench) compare(ctx context.Context, title string, maxRatio float64, ours, baseline work) error {
	log.Print(title)
	var r row
	for round := range rounds + 1 {
		oursMS, err := ours(ctx)
		if err != nil {
			return err
		}
		baselineMS, err := baseline(ctx)
		if err != nil {
			return err
		}
		if round > 0 {
			r.ours = append(r.ours, oursMS)
			r.baseline = append(r.baseline, baselineMS)
			r.ratios = append(r.ratios, oursMS/baselineMS) // per round, because the machine's speed drifts
		}
	}
	r.title = title
	r.maxRatio = maxRatio
	b.results.rows = append(b.results.rows, r)
	return nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
