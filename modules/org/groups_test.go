package org_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/org"
)

// The organisation's own groups by name: at most 500, and the chosen one. Each is on one page, and a
// page number out of range gives the nearest page.
func TestGroupsAreListedByName(t *testing.T) {
	b := setup(t)
	none, all, err := b.orgs.GroupPage(t.Context(), ours, 1, 10)
	require.NoError(t, err)
	require.Empty(t, none)
	require.Zero(t, all)
	b.Exec(`insert into player_groups (id, org_id, name)
		select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $1::uuid, to_char(n, 'FM0000')
		  from generate_series(1, 695) n
		union all select gen_random_uuid(), $2::uuid, '0000' from generate_series(1, 3)`, ours, theirs)
	group := func(n int) org.Group {
		return org.Group{
			ID:             fmt.Sprintf("00000000-0000-4000-8000-%012d", n),
			OrganisationID: ours,
			Name:           fmt.Sprintf("%04d", n),
		}
	}
	groups, err := b.orgs.Groups(t.Context(), ours, "")
	require.NoError(t, err)
	require.Len(t, groups, 500)
	require.Equal(t, group(1), groups[0])
	require.Equal(t, group(500), groups[499])
	last := group(695)
	for chosen, want := range map[string][]org.Group{
		last.ID: append(groups[:500:500], last), group(2).ID: groups, unknown: groups,
	} {
		got, err := b.orgs.Groups(t.Context(), ours, chosen)
		require.NoError(t, err, chosen)
		require.Equal(t, want, got, chosen)
	}
	got, err := b.orgs.Groups(t.Context(), theirs, last.ID)
	require.NoError(t, err)
	require.Len(t, got, 3, "a group of another organisation is not added")

	for page, want := range map[int][2]int{
		1: {1, 10}, 2: {11, 20}, 70: {691, 695}, -7: {1, 10}, 1 << 60: {691, 695},
	} {
		groups, all, err := b.orgs.GroupPage(t.Context(), ours, page, 10)
		require.NoError(t, err)
		require.Equal(t, 695, all)
		require.Equal(t, group(want[0]), groups[0].Group, page)
		require.Equal(t, group(want[1]), groups[len(groups)-1].Group, page)
	}
}

// FindGroups finds the organisation's groups by a part of the name. Case and accents make no
// difference.
func TestGroupsAreFound(t *testing.T) {
	b := setup(t)
	b.Exec(`insert into player_groups (id, org_id, name)
		select gen_random_uuid(), $1::uuid, 'Équipe ' || n from generate_series(1, 60) n
		union all select gen_random_uuid(), unnest(array[$1, $2]::uuid[]), 'Nuit'`, ours, theirs)
	for text, want := range map[string]int{"nui": 1, "EQUIPE": 50, "%": 0} {
		found, more, err := b.orgs.FindGroups(t.Context(), ours, text)
		require.NoError(t, err)
		require.Len(t, found, want, text)
		if want == 50 {
			require.Equal(t, "Équipe 2", found[1].Name, "before Équipe 10")
		}
		require.Equal(t, want == 50, more, text)
	}
}
