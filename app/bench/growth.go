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

const growthBudget = 10 * time.Second

// growth measures how cost grows with each of plays, players and forks while the others stay.
func (b *bench) growth(ctx context.Context) error {
	const players = 1_000
	top := min(b.opts.plays, 1_000_000)
	var byPlays []dataset
	for n := leastPlays; n <= top; n *= 10 {
		byPlays = append(byPlays, dataset{Plays: n, Players: players, Forks: 1})
	}
	full := min(mostPlayers, top/10)
	byPlayers := []dataset{{Plays: top, Players: 10, Forks: 1}, {Plays: top, Players: players, Forks: 1}, {Plays: top, Players: full, Forks: 1}}
	chains := []struct {
		title string
		sets  []dataset
	}{
		{fmt.Sprintf("Plays grow, %s players", thousands(players)), byPlays},
		{fmt.Sprintf("Players grow, %s plays", thousands(int64(top))), byPlayers},
	}
	if b.opts.plays > top {
		chains = append(chains, struct {
			title string
			sets  []dataset
		}{fmt.Sprintf("Plays grow, %s players", thousands(int64(full))), []dataset{{Plays: top, Players: full, Forks: 1}, b.main}})
	}
	for _, c := range chains {
		if err := b.growReports(ctx, c.title, c.sets); err != nil {
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
func (b *bench) growReports(ctx context.Context, title string, sets []dataset) error {
	var contestants []contestant
	for i, d := range sets {
		var err error
		if sets[i], err = b.scaled(ctx, d); err != nil {
			return err
		}
		ring, err := b.ring(ctx, sets[i].IDs.Organisation.String(), mainKeys)
		if err != nil {
			return err
		}
		q := b.last(&sets[i], 366)
		contestants = append(contestants, timed(3, b.asker(ring).asking(q.statsPath())), timed(1, func(ctx context.Context) error {
			_, err := b.downloading(ctx, q)
			return err
		}))
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	b.say("growth: %s", title)
	got, err := alternate(ctx, growthBudget, contestants...)
	if err != nil {
		return err
	}
	t := growthTable{title: title + ", 366 of 400 days:", rows: [][]string{{"plays", "players", "statistics", "factor", "export", "factor"}}}
	for i, d := range sets {
		row := []string{thousands(int64(d.Plays)), thousands(int64(d.Players))}
		for work := range 2 {
			row = append(row, inMilliseconds(got[2*i+work].median()), factor(got, 2*i+work, 2))
		}
		t.rows = append(t.rows, row)
	}
	b.tables = append(b.tables, t)
	return nil
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
		contestants = append(contestants, timed(30, b.asker(ring).asking("/api/v1/forks")))
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	b.say("growth: forks")
	got, err := alternate(ctx, growthBudget, contestants...)
	if err != nil {
		return err
	}
	t := growthTable{title: "Forks of the organisation grow:", rows: [][]string{{"forks", "fork list", "factor"}}}
	for i, n := range sizes {
		t.rows = append(t.rows, []string{thousands(int64(n)), inMilliseconds(got[i].median()), factor(got, i, 1)})
	}
	b.tables = append(b.tables, t)
	return nil
}

// factor is how many times as long a figure is as the one a step before.
func factor(got []sample, i, step int) string {
	if i < step {
		return ""
	}
	return "x " + number(got[i].median()/got[i-step].median())
}
