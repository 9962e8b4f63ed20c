package org_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/org"
)

// The organisation's own groups, by name.
func TestGroupsAreListedByName(t *testing.T) {
	b := setup(t)
	groups, err := b.orgs.Groups(t.Context(), ours, "")
	require.NoError(t, err)
	require.Empty(t, groups)
	id := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-0000000001%02d", n) }
	b.Exec(`insert into player_groups (id, org_id, name)
		values ($3, $1, 'Sales'), ($4, $1, 'Marketing'), ($5, $1, 'Sales'), ($6, $2, 'Legal')`,
		ours, theirs, id(2), id(3), id(1), id(4))
	want := []org.Group{{id(3), ours, "Marketing"}, {id(1), ours, "Sales"}, {id(2), ours, "Sales"}}
	for name, chosen := range map[string]string{
		"none":                   "",
		"one of the list":        id(2),
		"another organisation's": id(4),
		"unknown":                unknown,
		"malformed":              "' or true --",
	} {
		groups, err := b.orgs.Groups(t.Context(), ours, chosen)
		require.NoError(t, err, name)
		require.Equal(t, want, groups, name)
	}
}

// At most 500 groups are listed, and the chosen one wherever it stands.
func TestChosenGroupIsListedBeyondTheBound(t *testing.T) {
	b := setup(t)
	b.Exec(`insert into player_groups (id, org_id, name)
		select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, lpad(n::text, 4,
		  '0') from generate_series(1, 700) n`,
		ours)
	groups, err := b.orgs.Groups(t.Context(), ours, "")
	require.NoError(t, err)
	require.Len(t, groups, 500)
	require.Equal(t, "0001", groups[0].Name)
	require.Equal(t, "0500", groups[499].Name)
	last := org.Group{
		ID:             "00000000-0000-4000-8000-000000000700",
		OrganisationID: ours,
		Name:           "0700",
	}
	withChosen, err := b.orgs.Groups(t.Context(), ours, last.ID)
	require.NoError(t, err)
	require.Equal(t, append(groups, last), withChosen)
}

// Every group stands on one page. A page that does not exist is the nearest that does.
func TestPagesOfGroups(t *testing.T) {
	b := setup(t)
	none, all, err := b.orgs.GroupPage(t.Context(), ours, 1, 10)
	require.NoError(t, err)
	require.Empty(t, none)
	require.Zero(t, all)
	b.Exec(`insert into player_groups (id, org_id, name)
		select gen_random_uuid(), o::uuid, lpad(n::text, 2, '0')
		  from generate_series(1, 25) n, unnest(array[$1, $2]) o`,
		ours, theirs)
	for page, want := range map[int][2]string{
		1:       {"01", "10"},
		2:       {"11", "20"},
		3:       {"21", "25"},
		0:       {"01", "10"},
		-7:      {"01", "10"},
		4:       {"21", "25"},
		1 << 60: {"21", "25"},
	} {
		groups, all, err := b.orgs.GroupPage(t.Context(), ours, page, 10)
		require.NoError(t, err)
		require.Equal(t, 25, all)
		require.Equal(t, want, [2]string{groups[0].Name, groups[len(groups)-1].Name}, page)
		require.Equal(t, ours, groups[0].OrganisationID)
	}
}

// Groups are found by a part of their name, without regard to case and accents; nobody else's are.
func TestGroupsAreFound(t *testing.T) {
	b := setup(t)
	b.Exec(`insert into player_groups (id, org_id, name)
		select gen_random_uuid(), $1, 'Équipe ' || n from generate_series(1, 60) n`, ours)
	b.Exec(`insert into player_groups (id, org_id, name)
		values (gen_random_uuid(), $1, 'Nuit'), (gen_random_uuid(), $2, 'Nuit')`, ours, theirs)
	found, more, err := b.orgs.FindGroups(t.Context(), ours, " nuit")
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, []any{ours, false}, []any{found[0].OrganisationID, more})
	found, more, err = b.orgs.FindGroups(t.Context(), ours, "EQUIPE")
	require.NoError(t, err)
	require.Len(t, found, 50)
	require.True(t, more)
	found, _, err = b.orgs.FindGroups(t.Context(), ours, "%")
	require.NoError(t, err)
	require.Empty(t, found)
}
