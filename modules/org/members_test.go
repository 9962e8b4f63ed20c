package org_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// Memberships are the person's own. The slug of another organisation is answered like an unknown one.
func TestMembershipsAreThePersonsOwn(t *testing.T) {
	b := setup(t)
	ann := b.Person(testkit.Person{}).ID
	b.Exec(`update organisations set name = 'Zulu' where id = $1`, ours)
	b.Join(ours, ann, "member")
	b.Join(theirs, ann, "admin")
	found := tb.Must(b.orgs.MembershipsOf(t.Context(), ann))(t)
	our := b.organisation(ours)
	their := b.organisation(theirs)
	require.Equal(t, []org.Membership{
		{OrganisationID: theirs, Organisation: their, Role: org.RoleAdmin, HasOthers: true},
		{OrganisationID: ours, Organisation: our, Role: org.RoleMember, HasOthers: true},
	}, found)
	ids := tb.Must(b.orgs.OrganisationIDsIn(b.DB.Gorm, ann))(t)
	require.Equal(t, []string{ours, theirs}, ids)
	for i, slug := range []string{"theirs", "ours"} {
		one := tb.Must(b.orgs.Membership(t.Context(), ann, slug))(t)
		require.Equal(t, found[i], one)
	}
	for _, slug := range []string{"theirs", "nowhere", "", "Ours", "\x00", "\xff", ours} {
		found, err := b.orgs.Membership(t.Context(), personID(ours, "owner"), slug)
		require.True(t, apperr.Is(err, apperr.NotFound), "%q: %v", slug, err)
		require.Zero(t, found, "%q", slug)
	}
}

// Lists are bounded: 100 memberships of a person, 1,000 logs of a security event, 500 members of an organisation.
func TestListsOfMembersAreBounded(t *testing.T) {
	b := setup(t)
	ann := b.Person(testkit.Person{}).ID
	b.Exec(`insert into organisations (id, slug, name, plan, reporting_mode)
		select gen_random_uuid(), 'many-' || n, lpad(n::text, 4, '0'), 'pro', 'pseudonymous'
		  from generate_series(1, 1200) n`)
	b.Exec(`insert into memberships (org_id, user_id, role)
		select id, $1, 'member' from organisations where slug like 'many-%'`, ann)
	found := tb.Must(b.orgs.MembershipsOf(t.Context(), ann))(t)
	require.Len(t, found, 100)
	require.Equal(t, "0100", found[99].Organisation.Name)
	ids := tb.Must(b.orgs.OrganisationIDsIn(b.DB.Gorm, ann))(t)
	require.Len(t, ids, 1000)

	b.Exec(`with more as (insert into users (id, email, email_key, name)
		select gen_random_uuid(), n || '@example.org', n || '@example.org', 'N' from generate_series(1, 598) n
		returning id) insert into memberships (org_id, user_id, role) select $1, id, 'member' from more`, ours)
	members, all := tb.Must2(b.orgs.Members(t.Context(), ours))(t)
	require.Equal(t, []org.Member{
		{ours, personID(ours, "owner"), org.RoleOwner}, {ours, personID(ours, "admin"), org.RoleAdmin},
	}, members[:2])
	require.Equal(t, [2]int{500, 601}, [2]int{len(members), all})
}

// Grants follow from role and two-step verification. LockedSubjectIn locks the role; SubjectIn does not.
func TestSubjectHasTheGrantsOfTheRole(t *testing.T) {
	b := setup(t)
	b.Exec(`update users set totp_secret = 'x' where id = $1`, personID(ours, "admin"))
	for free, read := range map[int]func(*gorm.DB, string, string) (authz.Subject, error){
		0: b.orgs.LockedSubjectIn, 1: b.orgs.SubjectIn,
	} {
		require.NoError(t, b.DB.Gorm.WithContext(t.Context()).Transaction(func(tx *gorm.DB) error {
			for _, c := range []struct {
				organisation, person string
				grants               []string
			}{
				{ours, personID(ours, "owner"), []string{"owner"}},
				{ours, personID(ours, "admin"), []string{"admin", "admin+2fa"}},
				{theirs, personID(theirs, "member"), []string{"member"}}, {theirs, personID(ours, "owner"), nil},
				{ours, unknown, nil}, {ours, "' or true --", nil}, {"", personID(ours, "owner"), nil},
			} {
				subject := tb.Must(read(tx, c.organisation, c.person))(t)
				require.Equal(t, authz.Subject{
					Kind: authz.Member, OrganisationID: c.organisation, Grants: c.grants,
				}, subject)
			}
			require.Equal(t, free, testkit.One[int](b.World, `select count(*) from (select
				from memberships where user_id = $1 for update skip locked) m`, personID(ours, "owner")))
			return nil
		}))
	}
}

// Groups returns the first 500 and the chosen one. GroupPage returns the nearest page for a number out of range.
func TestGroupsAreListedByName(t *testing.T) {
	b := setup(t)
	none, all := tb.Must2(b.orgs.GroupPage(t.Context(), ours, 1, 10))(t)
	require.Empty(t, none)
	require.Zero(t, all)
	b.Exec(`insert into player_groups (id, org_id, name)
		select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $1::uuid, to_char(n, 'FM0000')
		  from generate_series(1, 695) n
		union all select gen_random_uuid(), $2::uuid, '0000' from generate_series(1, 3)`, ours, theirs)
	group := func(n int) org.Group {
		return org.Group{
			ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", n), OrganisationID: ours, Name: fmt.Sprintf("%04d", n),
		}
	}
	groups := tb.Must(b.orgs.Groups(t.Context(), ours, ""))(t)
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
	got := tb.Must(b.orgs.Groups(t.Context(), theirs, last.ID))(t)
	require.Len(t, got, 3, "a group of another organisation is not added")

	for page, want := range map[int][2]int{1: {1, 10}, 2: {11, 20}, 70: {691, 695}, -7: {1, 10}, 1 << 60: {691, 695}} {
		groups, all := tb.Must2(b.orgs.GroupPage(t.Context(), ours, page, 10))(t)
		require.Equal(t, 695, all)
		require.Equal(t, group(want[0]), groups[0].Group, page)
		require.Equal(t, group(want[1]), groups[len(groups)-1].Group, page)
	}
}

// FindGroups finds groups by a part of the name, ignoring case and accents: the first 50, and whether more match.
func TestGroupsAreFoundByPartOfTheName(t *testing.T) {
	b := setup(t)
	b.Exec(`insert into player_groups (id, org_id, name)
		select gen_random_uuid(), $1::uuid, 'Équipe ' || n from generate_series(1, 60) n
		union all select gen_random_uuid(), $1, 'Club ' || n from generate_series(1, 50) n
		union all select gen_random_uuid(), unnest(array[$1, $2]::uuid[]), 'Nuit'`, ours, theirs)
	for text, want := range map[string]int{"nui": 1, "EQUIPE": 50, "club": 50, "%": 0} {
		found, more := tb.Must2(b.orgs.FindGroups(t.Context(), ours, text))(t)
		require.Len(t, found, want, text)
		if text == "EQUIPE" {
			require.Equal(t, "Équipe 2", found[1].Name, "before Équipe 10")
		}
		require.Equal(t, text == "EQUIPE", more, text)
	}
}
