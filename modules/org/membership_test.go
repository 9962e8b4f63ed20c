package org_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/testkit"
)

// MembershipsOf returns the person's own memberships by the name of the organisation. The slug of
// another organisation gets the answer of an unknown one.
func TestMembershipsAreThePersonsOwn(t *testing.T) {
	b := setup(t)
	ann := b.Person(testkit.Person{}).ID
	b.Exec(`update organisations set name = 'Zulu' where id = $1`, ours)
	b.Join(ours, ann, "member")
	b.Join(theirs, ann, "admin")
	found, err := b.orgs.MembershipsOf(t.Context(), ann)
	require.NoError(t, err)
	our := b.organisation(ours)
	their := b.organisation(theirs)
	require.Equal(t, []org.Membership{
		{OrganisationID: theirs, Organisation: their, Role: org.RoleAdmin, HasOthers: true},
		{OrganisationID: ours, Organisation: our, Role: org.RoleMember, HasOthers: true},
	}, found)
	ids, err := b.orgs.OrganisationIDsIn(b.DB.Gorm, ann)
	require.NoError(t, err)
	require.Equal(t, []string{ours, theirs}, ids)
	for i, slug := range []string{"theirs", "ours"} {
		one, err := b.orgs.Membership(t.Context(), ann, slug)
		require.NoError(t, err)
		require.Equal(t, found[i], one)
	}
	for _, slug := range []string{"theirs", "nowhere", "", "Ours", "\x00", "\xff", ours} {
		found, err := b.orgs.Membership(t.Context(), personID(ours, "owner"), slug)
		require.True(t, apperr.Is(err, apperr.NotFound), "%q: %v", slug, err)
		require.Zero(t, found, "%q", slug)
	}
}

// Lists are bounded: 100 organisations on the screens, 1,000 logs of a security event, and 500 members,
// owners first (web/organisation has a list of 600).
func TestListsOfMembersAreBounded(t *testing.T) {
	b := setup(t)
	ann := b.Person(testkit.Person{}).ID
	b.Exec(`insert into organisations (id, slug, name, plan, reporting_mode)
		select gen_random_uuid(), 'many-' || n, lpad(n::text, 4, '0'), 'pro', 'pseudonymous'
		  from generate_series(1, 1200) n`)
	b.Exec(`insert into memberships (org_id, user_id, role)
		select id, $1, 'member' from organisations where slug like 'many-%'`, ann)
	found, err := b.orgs.MembershipsOf(t.Context(), ann)
	require.NoError(t, err)
	require.Len(t, found, 100)
	require.Equal(t, "0100", found[99].Organisation.Name)
	ids, err := b.orgs.OrganisationIDsIn(b.DB.Gorm, ann)
	require.NoError(t, err)
	require.Len(t, ids, 1000)

	members, all, err := b.orgs.Members(t.Context(), ours)
	require.NoError(t, err)
	require.Equal(t, []org.Member{
		{ours, personID(ours, "owner"), org.RoleOwner},
		{ours, personID(ours, "admin"), org.RoleAdmin},
		{ours, personID(ours, "member"), org.RoleMember},
	}, members)
	require.Equal(t, 3, all)
}

// A person's grants follow from the role in the organisation and from two-step verification. LockedSubjectIn
// locks the role until the transaction ends; SubjectIn does not.
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
				{theirs, personID(theirs, "member"), []string{"member"}},
				{theirs, personID(ours, "owner"), nil},
				{ours, unknown, nil}, {ours, "' or true --", nil}, {"", personID(ours, "owner"), nil},
			} {
				subject, err := read(tx, c.organisation, c.person)
				require.NoError(t, err)
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
