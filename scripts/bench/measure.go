package main

import (
	"context"
	"slices"
	"time"
)

// contestant is one way to do a piece of work. It is done times in each round, so that a quick one is measured as surely
// as a slow one.
type contestant struct {
	times int
	do    func(context.Context) (float64, error) // returns the figure of one go
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
	leastRounds = 3
	mostRounds  = 9
)

// alternate lets the contestants take turns, each second round in the other order, and returns the figures of each. One
// go of each before the first round warms caches and is not counted.
func alternate(ctx context.Context, budget time.Duration, contestants ...contestant) ([]sample, error) {
	out := make([]sample, len(contestants))
	order := make([]int, len(contestants))
	for i, c := range contestants {
		order[i] = i
		if _, err := c.do(ctx); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	for round := 0; round < mostRounds && (round < leastRounds || time.Since(began) < budget); round++ {
		for _, i := range order {
			var figures []float64
			for range contestants[i].times {
				figure, err := contestants[i].do(ctx)
				if err != nil {
					return nil, err
				}
				figures = append(figures, figure)
			}
			out[i] = append(out[i], figures)
		}
		slices.Reverse(order)
	}
	return out, nil
}

// sample is what was measured of one contestant, by round.
type sample [][]float64

// one is a sample of figures that have no rounds.
func one(figures ...float64) sample { return sample{figures} }

func (s sample) all() []float64  { return slices.Concat(s...) }
func (s sample) median() float64 { return median(s.all()) }
func (s sample) least() float64  { return slices.Min(s.all()) }
func (s sample) most() float64   { return slices.Max(s.all()) }

// over is the ratio of two samples: the median of the ratios of their rounds, each of which saw the same minute of the
// machine. Samples of other rounds are compared by their medians.
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

func median(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
