package org_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
)

// Erase deletes the player and its memberships in groups; the entry has the id without the name. It
// is whole or nothing, and for the owner of the tables alone.
func TestErasedPlayerLeavesAnEntry(t *testing.T) {
	b := setup(t)
	owner := org.New(b.Owner, audit.New(b.Owner), nil)
	players := b.Players(ours, 2)
	b.Group(ours, players...)
	failed := errors.New("failed")
	erase := func(service *org.Service, id string, forget error) (string, error) {
		return service.ErasePlayer(t.Context(), id, func(*gorm.DB, string) error { return forget },
			audit.Request{Path: "dg erase"})
	}
	_, err := erase(b.orgs, players[0].ID, nil)
	require.ErrorContains(t, err, "permission denied")
	_, err = erase(owner, players[0].ID, failed)
	require.ErrorIs(t, err, failed)
	require.Equal(t, 2, b.Count(`players`))
	require.Empty(t, b.entries(ours))

	of, err := erase(owner, players[0].ID, nil)
	require.NoError(t, err)
	require.Equal(t, ours, of)
	require.Equal(t, 1, b.Count(`players`))
	require.Equal(t, 1, b.Count(`group_members`))
	log := b.entries(ours)
	require.Len(t, log, 1)
	require.Equal(t, audit.Entry{
		ID: log[0].ID, At: log[0].At, OrganisationID: ours, Actor: audit.OperatorActor,
		Action: audit.PlayerErased, Target: audit.Target{Kind: "player", ID: players[0].ID},
		Request: audit.Request{Path: "dg erase"}, Details: map[string]any{},
	}, log[0])
	for _, id := range []string{players[0].ID, unknown, "' or true --"} {
		_, err := erase(owner, id, nil)
		require.True(t, apperr.Is(err, apperr.NotFound), "%q: %v", id, err)
	}
}

// An import locks the organisation's ordinals first, then renames its players: an erasure that came
// between waits for it.
func TestErasureBesideARenameDoesNotDeadlock(t *testing.T) {
	b := setup(t)
	owner := org.New(b.Owner, audit.New(b.Owner), nil)
	player := b.Players(ours, 1)[0]
	renaming := b.Begin(`select from player_ordinals where org_id = $1 for update`, ours)
	require.NoError(t, b.WhileWaiting(renaming, func() error {
		_, err := owner.ErasePlayer(t.Context(), player.ID, func(*gorm.DB, string) error { return nil },
			audit.Request{})
		return err
	}, func() {
		_, err := renaming.Exec(t.Context(), `update players set display_name = 'New' where id = $1`,
			player.ID)
		require.NoError(t, err)
	}))
	require.Zero(t, b.Count(`players`))
}
