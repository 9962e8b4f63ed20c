package org_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/org"
)

// groupID is the id of the n-th group of a test.
func groupID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// addGroups stores groups of both organisations, named by their number.
func (b bundle) addGroups(n int) {
	b.t.Helper()
	b.Exec(`insert into player_groups (id, org_id, name)
		select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $1::uuid, to_char(n, 'FM0000')
		  from generate_series(1, $3::int) n
		union all select gen_random_uuid(), $2::uuid, '0000' from generate_series(1, 3)`, ours, theirs, n)
}

// The organisation's own groups by name: at most 500, and the chosen one.
func TestGroupsAreListedByName(t *testing.T) {
	b := setup(t)
	b.addGroups(700)
	groups, err := b.orgs.Groups(t.Context(), ours, "")
	require.NoError(t, err)
	require.Len(t, groups, 500)
	require.Equal(t, org.Group{ID: groupID(1), OrganisationID: ours, Name: "0001"}, groups[0])
	require.Equal(t, org.Group{ID: groupID(500), OrganisationID: ours, Name: "0500"}, groups[499])
	last := org.Group{ID: groupID(700), OrganisationID: ours, Name: "0700"}
	for chosen, want := range map[string][]org.Group{
		last.ID: append(groups[:500:500], last), groupID(2): groups, unknown: groups,
	} {
		got, err := b.orgs.Groups(t.Context(), ours, chosen)
		require.NoError(t, err, chosen)
		require.Equal(t, want, got, chosen)
	}
	got, err := b.orgs.Groups(t.Context(), theirs, last.ID)
	require.NoError(t, err)
	require.Len(t, got, 3, "a group of another organisation is not added")
}

// Each group is on one page. A page number out of range gives the nearest page.
func TestPagesOfGroups(t *testing.T) {
	b := setup(t)
	none, all, err := b.orgs.GroupPage(t.Context(), ours, 1, 10)
	require.NoError(t, err)
	require.Empty(t, none)
	require.Zero(t, all)
	b.addGroups(25)
	for page, want := range map[int][2]string{
		1: {"0001", "0010"}, 2: {"0011", "0020"}, 3: {"0021", "0025"},
		-7: {"0001", "0010"}, 1 << 60: {"0021", "0025"},
	} {
		groups, all, err := b.orgs.GroupPage(t.Context(), ours, page, 10)
		require.NoError(t, err)
		require.Equal(t, 25, all)
		require.Equal(t, want, [2]string{groups[0].Name, groups[len(groups)-1].Name}, page)
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
