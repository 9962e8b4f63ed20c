package org_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/org"
	"dg/platform/authz"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// MembershipsOf lists only the person's own memberships, ordered by the organisation's name.
func TestMembershipsAreThePersonsOwn(t *testing.T) {
	b := setup(t)
	ann := b.AddPerson(testkit.Person{}).ID
	b.Exec(`update organisations set name = 'Zulu' where id = $1`, ourOrganisation)
	b.Join(ourOrganisation, ann, "member")
	b.Join(theirOrganisation, ann, "admin")
	memberships := tb.Must(b.service.MembershipsOf(t.Context(), ann))(t)
	ours := b.readOrganisation(ourOrganisation)
	theirs := b.readOrganisation(theirOrganisation)
	require.Equal(t, []org.Membership{
		{OrganisationID: theirOrganisation, Organisation: theirs, Role: org.RoleAdmin, HasOthers: true},
		{OrganisationID: ourOrganisation, Organisation: ours, Role: org.RoleMember, HasOthers: true},
	}, memberships)
	ids := tb.Must(b.service.OrganisationIDsIn(b.DB.Gorm, ann))(t)
	require.Equal(t, []string{ourOrganisation, theirOrganisation}, ids)
	for i, slug := range []string{"theirs", "ours"} {
		membership := tb.Must(b.service.Membership(t.Context(), ann, slug))(t)
		require.Equal(t, memberships[i], membership)
	}
}

// Lists are bounded: 100 memberships of a person, 1,000 logs of a security event.
func TestListsOfMembershipsAreBounded(t *testing.T) {
	b := setup(t)
	ann := b.AddPerson(testkit.Person{}).ID
	b.Exec(`insert into organisations (id, slug, name, plan, reporting_mode)
		select gen_random_uuid(), 'many-' || n, lpad(n::text, 4, '0'), 'pro', 'pseudonymous'
		  from generate_series(1, 1200) n`)
	b.Exec(`insert into memberships (org_id, user_id, role)
		select id, $1, 'member' from organisations where slug like 'many-%'`, ann)
	memberships := tb.Must(b.service.MembershipsOf(t.Context(), ann))(t)
	require.Len(t, memberships, 100)
	require.Equal(t, "0100", memberships[99].Organisation.Name)
	ids := tb.Must(b.service.OrganisationIDsIn(b.DB.Gorm, ann))(t)
	require.Len(t, ids, 1000)
}

// Grants follow from role and two-step verification. LockedSubjectIn locks the role; SubjectIn does not.
func TestSubjectHasTheGrantsOfTheRole(t *testing.T) {
	b := setup(t)
	b.Exec(`update users set totp_secret = 'x' where id = $1`, personID(ourOrganisation, "admin"))
	for unlockedRows, read := range map[int]func(*gorm.DB, string, string) (authz.Subject, error){
		0: b.service.LockedSubjectIn, 1: b.service.SubjectIn,
	} {
		require.NoError(t, b.DB.Gorm.WithContext(t.Context()).Transaction(func(tx *gorm.DB) error {
			for _, c := range []struct {
				organisation, person string
				grants               []string
			}{
				{ourOrganisation, personID(ourOrganisation, "owner"), []string{"owner"}},
				{ourOrganisation, personID(ourOrganisation, "admin"), []string{"admin", "admin+2fa"}},
				{theirOrganisation, personID(theirOrganisation, "member"), []string{"member"}},
				{theirOrganisation, personID(ourOrganisation, "owner"), nil},
				{ourOrganisation, unknownID, nil}, {ourOrganisation, "' or true --", nil},
				{"", personID(ourOrganisation, "owner"), nil},
			} {
				subject := tb.Must(read(tx, c.organisation, c.person))(t)
				require.Equal(t, authz.Subject{
					Kind: authz.Member, OrganisationID: c.organisation, Grants: c.grants,
				}, subject)
			}
			require.Equal(t, unlockedRows, testkit.Query[int](b.World, `select count(*) from (select
				from memberships where user_id = $1 for update skip locked) m`, personID(ourOrganisation, "owner")))
			return nil
		}))
	}
}

// Groups returns the first 500 groups and the chosen one. For an unknown page, GroupPage returns the nearest.
func TestGroupsAreListedByName(t *testing.T) {
	b := setup(t)
	b.Exec(`insert into player_groups (id, org_id, name)
		select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, $1::uuid, to_char(n, 'FM0000')
		  from generate_series(1, 695) n
		union all select gen_random_uuid(), $2::uuid, '0000' from generate_series(1, 3)`, ourOrganisation, theirOrganisation)
	group := func(n int) org.Group {
		return org.Group{
			ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", n), OrganisationID: ourOrganisation,
			Name: fmt.Sprintf("%04d", n),
		}
	}
	groups := tb.Must(b.service.Groups(t.Context(), ourOrganisation, ""))(t)
	require.Len(t, groups, 500)
	require.Equal(t, group(1), groups[0])
	require.Equal(t, group(500), groups[499])
	last := group(695)
	for chosen, want := range map[string][]org.Group{
		last.ID: append(groups[:500:500], last), group(2).ID: groups, unknownID: groups,
	} {
		require.Equal(t, want, tb.Must(b.service.Groups(t.Context(), ourOrganisation, chosen))(t), chosen)
	}
	theirGroups := tb.Must(b.service.Groups(t.Context(), theirOrganisation, last.ID))(t)
	require.Len(t, theirGroups, 3, "a group of another organisation is not added")

	for page, want := range map[int][2]int{1: {1, 10}, 2: {11, 20}, 70: {691, 695}, -7: {1, 10}, 1 << 60: {691, 695}} {
		groups, total := tb.Must2(b.service.GroupPage(t.Context(), ourOrganisation, page, 10))(t)
		require.Equal(t, 695, total)
		require.Equal(t, group(want[0]), groups[0].Group, page)
		require.Equal(t, group(want[1]), groups[len(groups)-1].Group, page)
	}
}
