package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dg/modules/reports/sealer"
	"dg/platform/apperr"
	"dg/platform/config"
)

// eraseCmd is `dg erase`.
type eraseCmd struct {
	config.Database
	Players []string `arg:"" name:"player" help:"Ids of players. Take them out of your import files first: an import would bring them back."`
}

// Run erases the players one by one, and then seals again the days that included them.
func (c eraseCmd) Run(ctx context.Context, p Stdio) error {
	return withOwner(ctx, c.Database, p, "dg erase", func(o operator) error {
		missing := 0
		for _, id := range c.Players {
			organisation, err := o.orgs.Erase(ctx, strings.ToLower(id), sealer.DropDirty,
				requestOf("dg erase"))
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
		if _, err := sealer.New(o.DB, time.Now, p.log, sealer.SealFrom).
			Seal(ctx); err != nil {
			p.log.Warn("days of erased players are not sealed again; dg serve will try again",
				"error", err)
		}
		if missing == 0 {
			return nil
		}
		return errors.New("some ids are not those of players: they were erased before, or are misspelt")
	})
}
