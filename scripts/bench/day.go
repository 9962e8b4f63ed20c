package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dg/app/demo"
)

// A data set of a large day has a day with more plays than a segment holds, 10 days ago, in 20 days
// with few plays each.
const (
	largeDay     = "day"
	largeDayAgo  = 10
	largeDaySpan = 20
)

// loadDay imports the few plays and then the large day, with the same ids: the second import
// changes nothing else.
func (b *bench) loadDay(ctx context.Context, d *dataset) error {
	size := demo.Size{Plays: d.Plays, Players: d.Players, Groups: d.Groups}
	few := size
	day := size
	few.Plays = d.Plays / largeDaySpan
	few.Days = largeDaySpan
	day.Days = 1
	day.Part = 1
	day.Parts = 1
	end := b.data.Now.Truncate(24*time.Hour).AddDate(0, 0, 1-largeDayAgo)
	return errors.Join(b.loadSize(ctx, d, b.data.Now, few), b.loadSize(ctx, d, end, day))
}

// day measures groups beside all players over a large day, which is never sealed, and over days
// that are sealed around it. Today is not sealed either: then the plays of two ranges are read.
func (b *bench) day(ctx context.Context) error {
	set, err := b.dataset(ctx, dataset{
		Name:    largeDay,
		Plays:   260_000,
		Players: mostPlayers,
		Forks:   1,
		Groups:  []int{smallGroup, largestGroup, 30_000},
	})
	if err != nil {
		return err
	}
	c, err := b.client(ctx, set.IDs.Organisation.String())
	if err != nil {
		return err
	}
	unsealed := b.last(set, largeDayAgo+1)
	unsealed.days = 1
	for _, m := range []struct {
		name string
		q    query
	}{
		{"a day of 260,000 plays", unsealed},
		{"20 days around it, sealed", b.last(set, largeDaySpan)},
	} {
		for i, members := range set.Groups {
			text := fmt.Sprintf("group of %s, %s; limit: all players", digits(float64(members)),
				m.name)
			ours := c.getting(m.q.of(i).statsPath())
			limit := c.getting(m.q.statsPath())
			got, err := alternate(ctx, quickBudget, timed(3, ours), timed(3, limit))
			if err != nil {
				return err
			}
			b.report.atMost(text, inMilliseconds, got[0], got[1], 1)
		}
	}
	return nil
}
