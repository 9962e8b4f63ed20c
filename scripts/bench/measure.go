package main

import (
	"context"
	"math"
	"slices"
	"time"
)

// contestant is one of the compared ways to do a piece of work.
type contestant struct {
	// runs in each round: a quick one takes more, to be measured as surely
	times   int
	measure func(context.Context) (float64, error) // one run
}

// timed measures work by the clock, in milliseconds.
func timed(times int, work func(context.Context) error) contestant {
	return contestant{times, func(ctx context.Context) (float64, error) {
		began := time.Now()
		err := work(ctx)
		return milliseconds(time.Since(began)), err
	}}
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// The rounds of a measurement: as many as fit the budget, within bounds.
const (
	minRounds = 5
	maxRounds = 9
)

// alternate runs the contestants in turns, every second round in the opposite order, after one
// uncounted run of each.
func alternate(
	ctx context.Context, budget time.Duration, contestants ...contestant,
) ([]sample, error) {
	out := make([]sample, len(contestants))
	order := make([]int, len(contestants))
	for i, c := range contestants {
		order[i] = i
		if _, err := c.measure(ctx); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	for round := 0; round < maxRounds && (round < minRounds || time.Since(began) < budget); round++ {
		for _, i := range order {
			figures := make([]float64, contestants[i].times)
			for n := range figures {
				var err error
				if figures[n], err = contestants[i].measure(ctx); err != nil {
					return nil, err
				}
			}
			out[i] = append(out[i], figures)
		}
		slices.Reverse(order)
	}
	return out, nil
}

// sample is what was measured of one contestant, by round.
type sample [][]float64

// figures is a sample without rounds.
func figures(values ...float64) sample { return sample{values} }

func (s sample) all() []float64  { return slices.Concat(s...) }
func (s sample) median() float64 { return median(s.all()) }
func (s sample) min() float64    { return slices.Min(s.all()) }
func (s sample) max() float64    { return slices.Max(s.all()) }

// over is the median of the ratios of the rounds, each of which saw the same minute of the machine.
// Samples with different numbers of rounds are compared by their medians.
func (s sample) over(other sample) float64 {
	if len(s) != len(other) {
		return s.median() / other.median()
	}
	ratios := make([]float64, len(s))
	for i := range s {
		ratios[i] = median(s[i]) / median(other[i])
	}
	return median(ratios)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// percentile99 is the nearest-rank 99th percentile.
func percentile99(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(math.Ceil(0.99*float64(len(sorted))))-1]
}
