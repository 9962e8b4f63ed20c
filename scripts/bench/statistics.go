package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// statistics measures the figures of all players.
func (b *bench) statistics(ctx context.Context) error {
	ring, err := b.ring(ctx, b.main.IDs.Organisation.String(), mainKeys)
	if err != nil {
		return err
	}
	a := b.asker(ring)
	year, month := b.last(&b.main, 366), b.last(&b.main, 30)
	if err := b.againstMemory(ctx, a, year); err != nil {
		return err
	}
	for _, m := range []struct {
		q   query
		bar float64
	}{{year, 150}, {month, 25}} {
		got, err := alternate(ctx, rawBudget, timed(5, a.asking(m.q.statsPath())), timed(1, b.computing(m.q)))
		if err != nil {
			return err
		}
		b.atLeast(fmt.Sprintf("statistics, %d days; limit: raw SQL", m.q.days), got[0], got[1], m.bar)
	}
	return nil
}

// rawBudget bounds how long raw SQL is measured over and over; memoryBudget the same of quicker limits.
const (
	rawBudget    = 20 * time.Second
	memoryBudget = 4 * time.Second
)

// computing is a contestant's work: the figures by raw SQL.
func (b *bench) computing(q query) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := b.rawFigures(ctx, q)
		return err
	}
}

// againstMemory measures a period against the same text made of what is in memory: of the plays, and of their sums.
func (b *bench) againstMemory(ctx context.Context, a *asker, q query) error {
	b.say("reading the plays into memory")
	plays, err := b.read(ctx, q.set)
	if err != nil {
		return err
	}
	sums := plays.sums(q)
	body, err := a.get(q.statsPath())
	if err != nil {
		return err
	}
	body = slices.Clone(body)
	if err := checkFold("plays", plays.fold(q), body); err != nil {
		return err
	}
	if err := checkFold("sums", sums.fold(), body); err != nil {
		return err
	}
	text := make([]byte, 0, len(body))
	got, err := alternate(ctx, memoryBudget,
		timed(3, a.asking(q.statsPath())),
		timed(3, func(context.Context) error { text = plays.fold(q).appendJSON(text[:0]); return nil }),
		timed(3, func(context.Context) error { text = sums.fold().appendJSON(text[:0]); return nil }))
	if err != nil {
		return err
	}
	b.atMost(fmt.Sprintf("statistics, %d days; limit: folding plays in memory", q.days), got[0], got[1], 2.5)
	b.atMost(fmt.Sprintf("statistics, %d days; limit: folding day and month sums in memory", q.days), got[0], got[2], 2.5)
	return nil
}

// groups measures the figures of groups.
func (b *bench) groups(ctx context.Context) error {
	ring, err := b.ring(ctx, b.main.IDs.Organisation.String(), mainKeys)
	if err != nil {
		return err
	}
	a := b.asker(ring)
	year := b.last(&b.main, 366)
	few, many := year.of(0), year.of(1)
	size := b.main.Groups[1]

	got, err := alternate(ctx, rawBudget, timed(5, a.asking(many.statsPath())), timed(1, b.computing(many)), timed(3, a.asking(year.statsPath())))
	if err != nil {
		return err
	}
	b.atLeast(fmt.Sprintf("group of %s, 366 days; limit: raw SQL", thousands(int64(size))), got[0], got[1], 4)
	b.atMost(fmt.Sprintf("group of %s, 366 days; limit: all players", thousands(int64(size))), got[0], got[2], 1)

	where, args := few.where()
	pass := func(ctx context.Context) error {
		return b.rawRows(ctx, readPlays+where, args, func([][]byte) {})
	}
	got, err = alternate(ctx, memoryBudget, timed(20, a.asking(few.statsPath())), timed(20, pass))
	if err != nil {
		return err
	}
	b.atMost(fmt.Sprintf("group of %d, 366 days; limit: one pass over its plays", smallGroup), got[0], got[1], 1.5)
	return nil
}
