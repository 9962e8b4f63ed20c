package org_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/testkit"
)

func forgetNothing(*gorm.DB, string) error { return nil }

// Erase deletes the player and its memberships in groups; the entry has the id without the name.
func TestErasedPlayerLeavesAnEntry(t *testing.T) {
	b := setup(t)
	erasing := org.New(b.Owner, audit.New(b.Owner), nil)
	players := b.PlayersNamed(ours, "Élodie", "Ben")
	b.Group(ours, players...)
	owner, err := erasing.Erase(t.Context(), players[0].ID, forgetNothing,
		audit.Request{Path: "dg erase"})
	require.NoError(t, err)
	require.Equal(t, ours, owner)
	require.Equal(t, 1, testkit.One[int](b.World, `select count(*) from players`))
	require.Equal(t, 1, testkit.One[int](b.World, `select count(*) from group_members`))
	log, err := b.log.List(t.Context(), ours, audit.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, log, 1)
	require.Equal(t, audit.TheOperator, log[0].Actor)
	require.Equal(t, audit.PlayerErased, log[0].Action)
	require.Equal(t, audit.Target{Kind: "player", ID: players[0].ID}, log[0].Target)
	require.Equal(t, audit.Request{Path: "dg erase"}, log[0].Request)
	require.NotContains(t, fmt.Sprint(log), "Élodie")
	for _, id := range []string{players[0].ID, unknown, "", "' or true --"} {
		_, err := erasing.Erase(t.Context(), id, forgetNothing, audit.Request{})
		require.True(t, apperr.Is(err, apperr.NotFound), "%q: %v", id, err)
	}
}

// If derived data cannot be removed, the player stays.
func TestEraseIsWholeOrNothing(t *testing.T) {
	b := setup(t)
	erasing := org.New(b.Owner, audit.New(b.Owner), nil)
	player := b.PlayersNamed(ours, "Ann")[0]
	failed := errors.New("failed")
	_, err := erasing.Erase(t.Context(), player.ID, func(*gorm.DB, string) error {
		return failed
	}, audit.Request{})
	require.ErrorIs(t, err, failed)
	_, err = org.New(b.DB, b.log, nil).Erase(t.Context(), player.ID, forgetNothing, audit.Request{})
	require.ErrorContains(t, err, "permission denied", "the serving role cannot erase")
	require.Equal(t, 1, testkit.One[int](b.World, `select count(*) from players`))
	require.Zero(t, testkit.One[int](b.World, `select count(*) from audit_entries`))
}
