package commands

import (
	"context"
	"time"

	"dg/modules/reports/sealer"
	"dg/platform/config"
)

// segmentsCmd is `dg segments`.
type segmentsCmd struct {
	Rebuild segmentsRebuildCmd `cmd:"" help:"Seal everything again from the plays."`
}

// segmentsRebuildCmd is `dg segments rebuild`.
type segmentsRebuildCmd struct {
	config.Database
	Wait time.Duration `default:"2m" help:"How long to wait for another sealer, such as that of dg serve."`
}

// Run fails when another sealer holds the lock for longer than it waits.
func (c segmentsRebuildCmd) Run(ctx context.Context, p Stdio) error {
	return withOwner(ctx, c.Database, p, "dg segments", func(o operator) error {
		done, err := sealer.New(o.DB, time.Now, p.log, sealer.SealFrom).Rebuild(ctx, c.Wait)
		if err != nil {
			return err
		}
		return p.print("Sealed %d days and %d months; dg serve seals %d that are being written to later.\n",
			done.Days, done.Months, done.Skipped)
	})
}
