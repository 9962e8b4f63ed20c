package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dg/modules/reports"
	"dg/platform/config"
	"dg/platform/postgres"
)

// segmentsCmd is `dg segments`.
type segmentsCmd struct {
	config.Database
	Do   string        `arg:"" optional:"" default:"status" enum:"status,verify,rebuild" help:"status: what is sealed. verify: compare every segment with the plays. rebuild: seal everything again."`
	Wait time.Duration `default:"2m" help:"How long rebuild waits for another sealer that is at work, such as that of dg serve."`
}

// Run does what was asked. verify fails when a segment is wrong, rebuild when another sealer works on and on.
func (c segmentsCmd) Run(ctx context.Context, p stdio) error {
	db, err := openDatabase(ctx, c.Database, p.log)
	if err != nil {
		return err
	}
	defer db.release()
	owner, err := postgres.Open(ctx, db.ownerURL, postgres.Options{Name: "dg segments", MaxConns: 2, StatementTimeout: -1, Logger: p.log})
	if err != nil {
		return err
	}
	defer owner.Close()
	sealer := reports.NewSealer(owner, time.Now, p.log, reports.SealFrom)
	switch c.Do {
	case "verify":
		wrong, err := sealer.Verify(ctx)
		for _, line := range wrong {
			fmt.Fprintln(p.stdout, line)
		}
		if err == nil && len(wrong) > 0 {
			err = errors.New("segments are wrong: run dg segments rebuild")
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(p.stdout, "Every segment says what the plays say.")
	case "rebuild":
		done, err := sealer.Rebuild(ctx, c.Wait)
		if err != nil {
			return err
		}
		if done.Busy > 0 {
			fmt.Fprintf(p.stdout, "%d days and months were being written to: they are read from the plays until dg serve seals them.\n", done.Busy)
		}
	}
	return printSegments(ctx, sealer, p)
}

// printSegments prints a line for each fork with segments.
func printSegments(ctx context.Context, sealer *reports.Sealer, p stdio) error {
	forks, err := sealer.Status(ctx)
	if err != nil {
		return err
	}
	if len(forks) == 0 {
		_, err := fmt.Fprintf(p.stdout, "Nothing is sealed: forks of up to %d plays need no segments.\n", reports.SealFrom)
		return err
	}
	fmt.Fprintf(p.stdout, "%-36s  %6s  %6s  %6s  %6s  %12s\n", "fork", "days", "dirty", "large", "months", "bytes")
	for _, f := range forks {
		fmt.Fprintf(p.stdout, "%-36s  %6d  %6d  %6d  %6d  %12d\n", f.ForkID, f.Days, f.Dirty, f.Large, f.Months, f.Bytes)
	}
	return nil
}
