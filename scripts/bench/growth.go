package main

import (
	"context"
	"fmt"
	"time"
)

// growthTable shows how the cost of some work grows from step to step.
type growthTable struct {
	title string
	rows  [][]string
}

const (
	growthBudget = 10 * time.Second
	growthPlays  = 1_000_000 // more only where the other sections have more
	growthList   = 30        // fork lists in a round
	// steeper is from which steepness on a step is called steeper than linear: below is within the spread.
	steeper = 1.1
)

// chain is a row of data sets that grow in one thing.
type chain struct {
	title, unit string
	sets        []dataset
	size        func(dataset) int
}

// chains are those that the number of plays allows: plays grow, with few players and many; players grow, with many plays.
func (b *bench) chains() (all []chain) {
	plays := func(d dataset) int { return d.Plays }
	top := leastPlays
	for top*10 <= min(b.opts.plays, growthPlays) {
		top *= 10
	}
	players := chain{title: fmt.Sprintf("Players grow, %s plays", thousands(int64(top))), unit: "player", size: func(d dataset) int { return d.Players }}
	for _, n := range []int{10, 1_000, mostPlayers} {
		if n > top {
			continue
		}
		c := chain{title: fmt.Sprintf("Plays grow, %s players", thousands(int64(n))), unit: "play", size: plays}
		for p := max(leastPlays, n); p <= top; p *= 10 {
			c.sets = append(c.sets, dataset{Plays: p, Players: n, Forks: 1})
		}
		if n == b.main.Players && b.main.Plays > top {
			c.sets = append(c.sets, b.main)
		}
		if len(c.sets) > 1 {
			all = append(all, c)
		}
		players.sets = append(players.sets, dataset{Plays: top, Players: n, Forks: 1})
	}
	return append(all, players)
}

// growth measures how cost grows with each of plays, players and forks while the others stay.
func (b *bench) growth(ctx context.Context) error {
	chains := b.chains()
	for _, c := range chains { // all are loaded before any is measured
		for i, d := range c.sets {
			set, err := b.scaled(ctx, d)
			if err != nil {
				return err
			}
			c.sets[i] = set
		}
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	for _, c := range chains {
		if err := b.growReports(ctx, c); err != nil {
			return err
		}
	}
	return b.growLists(ctx)
}

// scaled returns the data set, or the one of the other sections where that has the same plays and players.
func (b *bench) scaled(ctx context.Context, d dataset) (dataset, error) {
	if d.Plays == b.main.Plays && d.Players == b.main.Players {
		return b.main, nil
	}
	return b.ensure(ctx, d)
}

// growReports measures statistics and exports over 366 days of data sets of growing size.
func (b *bench) growReports(ctx context.Context, c chain) error {
	var contestants []contestant
	for i := range c.sets {
		ring, err := b.ring(ctx, c.sets[i].IDs.Organisation.String(), mainKeys)
		if err != nil {
			return err
		}
		q := b.last(&c.sets[i], 366)
		contestants = append(contestants, timed(3, b.asker(ring).asking(q.statsPath())), timed(1, func(ctx context.Context) error {
			_, err := b.downloading(ctx, q)
			return err
		}))
	}
	b.say("growth: %s", c.title)
	got, err := alternate(ctx, growthBudget, contestants...)
	if err != nil {
		return err
	}
	t := growthTable{title: c.title + ", 366 of 400 days:", rows: [][]string{
		{"plays", "players", "statistics", "each " + c.unit, "steepness", "export", "each " + c.unit, "steepness", "steeper than linear"}}}
	for i, d := range c.sets {
		row, worst := []string{thousands(int64(d.Plays)), thousands(int64(d.Players))}, 0.0
		for work := range 2 {
			now, before := got[2*i+work], sample(nil)
			if i > 0 {
				before = got[2*i+work-2]
			}
			cells, steepness := step(now, before, c.size(d), c.size(c.sets[max(0, i-1)]))
			row, worst = append(row, cells...), max(worst, steepness)
		}
		t.rows = append(t.rows, append(row, isSteeper(i, worst)))
	}
	b.tables = append(b.tables, t)
	return nil
}

// step returns the cells of one size: the time, the time for each unit, and the steepness of the step to it, which is the
// ratio of times by the ratio of sizes: 1 is linear, and less is flatter.
func step(now, before sample, size, sizeBefore int) (cells []string, steepness float64) {
	median := now.median()
	cells = []string{line{unit: inMilliseconds}.spread(now), inMicroseconds(1000 * median / float64(size)), ""}
	if before != nil {
		steepness = now.over(before) / (float64(size) / float64(sizeBefore))
		cells[2] = fmt.Sprintf("%.2g", steepness)
	}
	return cells, steepness
}

func inMicroseconds(v float64) string {
	if v >= 100 {
		return thousands(int64(v)) + " µs"
	}
	return fmt.Sprintf("%.3f µs", v)
}

// isSteeper says of a step, of which the first is none, whether it is steeper than linear.
func isSteeper(i int, steepness float64) string {
	switch {
	case i == 0:
		return ""
	case steepness > steeper:
		return "YES"
	}
	return "no"
}

// growLists measures one client's fork lists of growing length.
func (b *bench) growLists(ctx context.Context) error {
	sizes := []int{10, 1_000, 10_000}
	var contestants []contestant
	for _, n := range sizes {
		set, err := b.ensure(ctx, listSet(n))
		if err != nil {
			return err
		}
		ring, err := b.ring(ctx, set.IDs.Organisation.String(), mainKeys)
		if err != nil {
			return err
		}
		contestants = append(contestants, timed(growthList, b.asker(ring).asking("/api/v1/forks")))
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	b.say("growth: forks")
	got, err := alternate(ctx, growthBudget, contestants...)
	if err != nil {
		return err
	}
	t := growthTable{title: "Forks of the organisation grow:", rows: [][]string{{"forks", "fork list", "each fork", "steepness", "steeper than linear"}}}
	for i, n := range sizes {
		before, last := sample(nil), n
		if i > 0 {
			before, last = got[i-1], sizes[i-1]
		}
		cells, steepness := step(got[i], before, n, last)
		t.rows = append(t.rows, append(append([]string{thousands(int64(n))}, cells...), isSteeper(i, steepness)))
	}
	b.tables = append(b.tables, t)
	return nil
}
