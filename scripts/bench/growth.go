package main

import (
	"context"
	"fmt"
	"time"
)

// growth measures how cost grows with plays, players and forks while the others stay.
func (b *bench) growth(ctx context.Context) error {
	players, plays := 1_000, 1_000_000
	for _, c := range []struct {
		unit string
		sets []dataset
		size func(*dataset) int
	}{
		{"play", []dataset{{Plays: 10_000, Players: players, Forks: 1}, {Plays: 100_000, Players: players, Forks: 1}, {Plays: plays, Players: players, Forks: 1}},
			func(d *dataset) int { return d.Plays }},
		{"player", []dataset{{Plays: plays, Players: 10, Forks: 1}, {Plays: plays, Players: players, Forks: 1}, {Plays: plays, Players: mostPlayers, Forks: 1}},
			func(d *dataset) int { return d.Players }},
		{"fork", []dataset{{Forks: 10}, {Forks: 1_000}, {Forks: 10_000}}, func(d *dataset) int { return d.Forks }},
	} {
		if err := b.grow(ctx, c.unit, c.sets, c.size); err != nil {
			return err
		}
	}
	return nil
}

// grow adds a table of data sets that grow in one thing: the statistics and exports of 366 days, or the fork list.
func (b *bench) grow(ctx context.Context, thing string, sets []dataset, size func(*dataset) int) error {
	work, sizes := []string{"statistics", "export"}, make([]int, len(sets))
	if sets[0].Plays == 0 {
		work = []string{"fork list"}
	}
	var contestants []contestant
	for i := range sets {
		set, err := b.dataset(ctx, sets[i])
		if err != nil {
			return err
		}
		c, err := b.client(ctx, set.IDs.Organisation.String())
		if err != nil {
			return err
		}
		sizes[i] = size(set)
		if set.Plays == 0 {
			contestants = append(contestants, timed(30, c.getting("/api/v1/forks")))
			continue
		}
		q := b.last(set, 366)
		contestants = append(contestants, timed(3, c.getting(q.statsPath())), timed(1, func(ctx context.Context) error {
			_, err := b.exportAll(ctx, q)
			return err
		}))
	}
	got, err := alternate(ctx, 10*time.Second, contestants...)
	if err != nil {
		return err
	}
	t := table{title: fmt.Sprintf("Growth by %s; steepness is the ratio of times by the ratio of sizes (1: linear)", thing), rows: [][]string{{thing + "s"}}}
	for _, w := range work {
		t.rows[0] = append(t.rows[0], w, "each "+thing, "steepness")
	}
	for i, n := range sizes {
		row := []string{digits(float64(n))}
		for w := range work {
			now := got[i*len(work)+w]
			cells := []string{unit(inMilliseconds).spread(now), fmt.Sprintf("%.3g µs", 1000*now.median()/float64(n)), ""}
			if i > 0 {
				cells[2] = fmt.Sprintf("%.2g", now.over(got[(i-1)*len(work)+w])*float64(sizes[i-1])/float64(n))
			}
			row = append(row, cells...)
		}
		t.rows = append(t.rows, row)
	}
	b.report.tables = append(b.report.tables, t)
	return nil
}
