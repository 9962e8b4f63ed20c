package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dg/modules/reports/sealer"
	"dg/platform/apperr"
)

type eraseCmd struct {
	asOwner
	Players []string `arg:"" name:"player" help:"Ids of players. Take them out of your import files first: an import would bring them back."`
}

// Run erases each player in a transaction of its own. It goes on after an unknown id.
func (c eraseCmd) Run(ctx context.Context, p Stdio, o *operator) error {
	missing := 0
	for _, id := range c.Players {
		organisation, err := o.orgs.ErasePlayer(ctx, strings.ToLower(id), sealer.DropDirty, o.request)
		switch {
		case apperr.Is(err, apperr.NotFound):
			missing++
			fmt.Fprintf(p.Stdout, "%s  no such player\n", id)
		case err != nil:
			return fmt.Errorf("erase %s: %w", id, err)
		default:
			fmt.Fprintf(p.Stdout, "%s  erased from organisation %s\n", id, organisation)
		}
	}
	o.seal(ctx, p)
	if missing > 0 {
		return errors.New("some ids are not those of players: they were erased before, or are misspelt")
	}
	return nil
}

// seal seals changed days. It only logs a failure: unsealed days only make statistics slower.
func (o *operator) seal(ctx context.Context, p Stdio) {
	if _, err := sealer.New(o.DB, time.Now, p.log).Seal(ctx); err != nil {
		p.log.Warn("the changed days are not sealed; dg serve will try again", "error", err)
	}
}

type segmentsCmd struct {
	Rebuild segmentsRebuildCmd `cmd:"" help:"Seal everything again from the plays."`
}

type segmentsRebuildCmd struct {
	asOwner
	Wait time.Duration `default:"2m" help:"How long to wait for another sealer, such as that of dg serve."`
}

func (c segmentsRebuildCmd) Run(ctx context.Context, p Stdio, o *operator) error {
	done, err := sealer.New(o.DB, time.Now, p.log).Rebuild(ctx, c.Wait)
	if err != nil {
		return err
	}
	return p.print("Sealed %d days and %d months; dg serve seals %d that are being written to later.\n",
		done.Days, done.Months, done.Skipped)
}
