package commands

import (
	"context"
	"fmt"
	"time"

	"dg/modules/reports/sealer"
	"dg/platform/config"
)

// segmentsCmd is `dg segments`.
type segmentsCmd struct {
	config.Database
	Do   string        `arg:"" optional:"" default:"status" enum:"status,rebuild" help:"status: what is sealed. rebuild: seal everything again."`
	Wait time.Duration `default:"2m" help:"How long rebuild waits for another sealer, such as that of dg serve."`
}

// Run fails when another sealer holds the lock for longer than rebuild waits.
func (c segmentsCmd) Run(ctx context.Context, p Stdio) error {
	return withOwner(ctx, c.Database, p, "dg segments", func(o operator) error {
		segments := sealer.New(o.DB, time.Now, p.log, sealer.SealFrom)
		if c.Do == "rebuild" {
			done, err := segments.Rebuild(ctx, c.Wait)
			if err != nil {
				return err
			}
			if done.Skipped > 0 {
				fmt.Fprintf(p.Stdout,
					"%d days and months are being written to: dg serve seals them later.\n", done.Skipped)
			}
		}
		return printSegments(ctx, segments, p)
	})
}

// printSegments prints a line for each fork with segments.
func printSegments(ctx context.Context, segments *sealer.Sealer, p Stdio) error {
	forks, err := segments.Status(ctx)
	if err != nil {
		return err
	}
	if len(forks) == 0 {
		return p.print("Nothing is sealed: forks of up to %d plays have no segments.\n", sealer.SealFrom)
	}
	fmt.Fprintf(p.Stdout, "%-36s  %6s  %6s  %6s  %6s  %12s\n", "fork", "days", "dirty", "large",
		"months", "bytes")
	for _, f := range forks {
		fmt.Fprintf(p.Stdout, "%-36s  %6d  %6d  %6d  %6d  %12d\n", f.ForkID, f.Days, f.Dirty,
			f.Large, f.Months, f.Bytes)
	}
	return nil
}
