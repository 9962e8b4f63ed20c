package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"dg/modules/org"
	"dg/modules/reports/sealer"
	"dg/platform/apperr"
	"dg/platform/input"
)

type eraseCmd struct {
	ownerDatabase
	Players []string `arg:"" name:"player" help:"Slug of the organisation and pseudonyms, or ids of players. Take them out of your import files first: an import would bring them back."`
}

// Run erases each player in a transaction, and continues after an unknown one. An erasure fails if
// its line cannot be printed: the operator needs the line to erase again after a restore.
func (c eraseCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	players, organisationID := c.Players, ""
	if slug := players[0]; !input.IsID(input.ID(slug)) {
		if players = players[1:]; len(players) == 0 {
			return errors.New("name the players after the organisation: dg erase SLUG PSEUDONYM…")
		}
		organisation, err := org.BySlugIn(o.Gorm.WithContext(ctx), slug)
		if err != nil {
			return err
		}
		organisationID = organisation.ID
	}
	defer o.seal(ctx, stdio)
	missing := 0
	for i, id := range players {
		err := o.erase(ctx, stdio, organisationID, id)
		switch {
		case apperr.Is(err, apperr.NotFound):
			missing++
			err = stdio.print("%s  no such player\n", id)
		case isLockFailure(err):
			err = fmt.Errorf("a sealer holds the plays, or an import changes players of the "+
				"organisation. Try again when it has ended: %w", err)
		}
		if err != nil {
			// not wrapped: the message of an interruption would replace this one
			return fmt.Errorf("not erased, or not certainly, are %s: erase them again: %s",
				strings.Join(players[i:], " "), err.Error())
		}
	}
	if missing > 0 {
		return errors.New("some are not players: they were erased before, or are misspelt")
	}
	return nil
}

// erase erases a player by pseudonym or id, or only by id if organisationID is "".
func (o *operator) erase(ctx context.Context, stdio Stdio, organisationID, player string) (err error) {
	id := input.ID(player)
	if organisationID != "" {
		if id, err = o.orgs.PlayerID(ctx, organisationID, player); err != nil {
			return err
		}
	}
	printed := false
	return o.orgs.ErasePlayer(ctx, id, func(tx *gorm.DB, organisation string) error {
		if err := sealer.DropDirty(tx, organisation); err != nil || printed {
			return err
		}
		printed = true // before the commit, so that no erasure lacks its line
		return stdio.print("%s  erased from organisation %s\n", id, organisation)
	}, o.request)
}

// seal seals changed days. It only logs an error, because unsealed days only slow statistics down.
func (o *operator) seal(ctx context.Context, stdio Stdio) {
	if _, err := sealer.New(o.DB, time.Now, stdio.log).Seal(ctx); err != nil {
		stdio.log.Warn("the changed days are not sealed; dg serve will try again", "error", err)
	}
}

type segmentsCmd struct {
	Rebuild segmentsRebuildCmd `cmd:"" help:"Seal everything again from the plays."`
}

type segmentsRebuildCmd struct {
	ownerDatabase
	Wait time.Duration `default:"2m" help:"How long to wait for another sealer, such as that of dg serve."`
}

func (c segmentsRebuildCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	result, err := sealer.New(o.DB, time.Now, stdio.log).Rebuild(ctx, c.Wait)
	if err != nil {
		return err
	}
	return stdio.print("Sealed %d days and %d months; dg serve seals %d that are being written to later.\n",
		result.Days, result.Months, result.Skipped)
}
