package org_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/org"
)

// groupID is the id of the n-th group of a test.
func groupID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// The organisation's own groups by name: at most 500, and the chosen one.
func TestGroupsAreListedByName(t *testing.T) {
	b := setup(t)
	b.Exec(`insert into player_groups (id, org_id, name)
		select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, to_char(n, 'FM0000')
		  from generate_series(1, 700) n`, ours)
	b.Exec(`insert into player_groups (id, org_id, name) values ($2, $1, 'Legal')`, theirs, groupID(900))
	groups, err := b.orgs.Groups(t.Context(), ours, "")
	require.NoError(t, err)
	require.Len(t, groups, 500)
	require.Equal(t, org.Group{ID: groupID(1), OrganisationID: ours, Name: "0001"}, groups[0])
	require.Equal(t, org.Group{ID: groupID(500), OrganisationID: ours, Name: "0500"}, groups[499])
	last := org.Group{ID: groupID(700), OrganisationID: ours, Name: "0700"}
	for chosen, want := range map[string][]org.Group{
		last.ID:        append(groups[:500:500], last),
		groupID(2):     groups,
		groupID(900):   groups,
		unknown:        groups,
		"' or true --": groups,
	} {
		got, err := b.orgs.Groups(t.Context(), ours, chosen)
		require.NoError(t, err, chosen)
		require.Equal(t, want, got, chosen)
	}
}

// Each group is on one page. A page number out of range gives the nearest page.
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

// FindGroups finds the organisation's groups by a part of the name. Case and accents make no
// difference.
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
