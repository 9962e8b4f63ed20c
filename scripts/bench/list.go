package main

import (
	"context"
	"os"
	"time"
)

// The fork list that is measured, and how.
const (
	listForks = 50
	listKeys  = 5_000 // 120 requests a minute each
	rateFor   = 2 * time.Second
	rateTime  = 12 * time.Second
)

// list measures the answers in a second over 32 connections, with a key that is checked and counted each time.
func (b *bench) list(ctx context.Context) error {
	set, err := b.ensure(ctx, listSet(listForks))
	if err != nil {
		return err
	}
	ring, err := b.ring(ctx, set.IDs.Organisation.String(), listKeys)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	contestants := []contestant{asking(b.server.addr, "/api/v1/forks", ring.header)}
	for _, kind := range []string{helloFramework, helloStack} {
		s, err := startServer(command(ctx, program, helloCommand, kind), nil)
		if err != nil {
			return err
		}
		defer func() { _ = s.stop() }() // a signal ends it, which is no success
		contestants = append(contestants, asking(s.addr, "/", func() string { return "" }))
	}
	got, err := alternate(ctx, rateTime, contestants...)
	if err != nil {
		return err
	}
	b.ofRate("fork list of 50; limit: hello by fiber", got[0], got[1], 0.1)
	b.ofRate("fork list of 50; limit: hello by dg's HTTP stack", got[0], got[2], 0.1)
	return nil
}

func asking(addr, path string, header func() string) contestant {
	client := newClient(addr)
	return contestant{1, func(ctx context.Context) (float64, error) { return rate(ctx, client, path, header, rateFor) }}
}
