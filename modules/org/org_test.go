package org_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

const (
	ourOrganisation   = "00000000-0000-4000-8000-00000000000a"
	theirOrganisation = "00000000-0000-4000-8000-00000000000b"
	unknownID         = "00000000-0000-4000-8000-00000000000c"
)

type fixture struct {
	*testkit.World
	t       *testing.T
	service *org.Service
}

func setup(t *testing.T) fixture {
	t.Parallel()
	policy := tb.Must(authz.New())(t)
	b := fixture{World: testkit.New(t), t: t}
	b.service = org.New(b.DB, audit.New(b.DB), policy)
	b.AddOrganisation(testkit.Organisation{ID: ourOrganisation, Slug: "ours", Name: "Ours"})
	b.AddOrganisation(testkit.Organisation{
		ID: theirOrganisation, Slug: "theirs", Name: "Theirs", Plan: "free", ReportingMode: "nominative",
	})
	for _, organisation := range []string{ourOrganisation, theirOrganisation} {
		for _, role := range []string{"owner", "admin", "member"} {
			b.Join(organisation, b.AddPerson(testkit.Person{ID: personID(organisation, role)}).ID, role)
		}
	}
	return b
}

func personID(organisation, role string) string {
	return uuid.NewSHA1(uuid.Nil, []byte(organisation+role)).String()
}

// rules.md, Data: each change of an organisation gives it a new version, which does not repeat. Groups do not count.
func TestVersionChangesWithEveryChange(t *testing.T) {
	b := setup(t)
	theirVersion := b.readOrganisation(theirOrganisation).Version
	first := b.readOrganisation(ourOrganisation).Version
	current := first
	seen := map[int64]bool{theirVersion: true, current: true}
	for _, c := range []struct {
		statement      string
		changesVersion bool
	}{
		{`update organisations set slug = 'other' where id = $1`, true},
		{`update organisations set name = 'Other' where id = $1`, true},
		{`update organisations set plan = 'team' where id = $1`, true},
		{`update organisations set reporting_mode = 'nominative' where id = $1`, true},
		{`update organisations set version = 1 where id = $1`, true}, // only a trigger sets the version
		{`update organisations set name = name, plan = plan, version = version where id = $1`, false},
		{`insert into organisations select * from organisations where id = $1 on conflict (id) do nothing`, false},
		{`insert into player_groups (id, org_id, name) values (gen_random_uuid(), $1, 'n')`, false},
	} {
		before := current
		b.Exec(c.statement, ourOrganisation)
		current = b.readOrganisation(ourOrganisation).Version
		require.Equal(t, c.changesVersion, before != current, c.statement)
		require.Equal(t, !c.changesVersion, seen[current], "it is new: %s", c.statement)
		seen[current] = true
	}
	require.Equal(t, theirVersion, b.readOrganisation(theirOrganisation).Version, "the other organisation's")

	// After a failover loses the last change, the next change does not repeat the lost version.
	b.Exec(`alter table organisations disable trigger user`)
	b.Exec(`update organisations set version = $2 where id = $1`, ourOrganisation, first)
	b.Exec(`alter table organisations enable trigger user`)
	b.Exec(`update organisations set name = name || '!' where id = $1`, ourOrganisation)
	require.NotContains(t, seen, b.readOrganisation(ourOrganisation).Version)
}

// No pseudonym is drawn twice, and each character is as likely as the others.
func TestLabelsAreRandom(t *testing.T) {
	seen := map[string]bool{}
	characters := map[rune]int{}
	const draws = 20_000
	for range draws {
		label := org.NewLabel()
		require.Regexp(t, `\AP-[0-9A-HJKMNP-TV-Z]{10}\z`, label)
		require.False(t, seen[label], "%s was drawn twice", label)
		seen[label] = true
		for _, c := range label[2:] {
			characters[c]++
		}
	}
	require.Len(t, characters, 32)
	for c, n := range characters {
		// 700 is nine standard deviations
		require.InDelta(t, draws*10/32, n, 700, "%c is as likely as the others", c)
	}
}

func newActor(organisation, role string, twoStep bool) org.Actor {
	person := audit.Actor{Kind: audit.Person, ID: personID(organisation, role), Name: "Ada " + role}
	return org.Actor{Person: person, Subject: authz.Subject{
		Kind: authz.Member, OrganisationID: organisation, Grants: authz.MemberGrants(role, twoStep),
	}}
}

var request = audit.Request{Method: "POST", Path: "/o/ours/settings", ID: "request-0001"}

func (b fixture) readOrganisation(id string) org.Organisation {
	return tb.Must(b.service.OrganisationIn(b.DB.Gorm.WithContext(b.t.Context()), id))(b.t)
}

func (b fixture) entries(id string) []audit.Entry {
	return tb.Must(audit.New(b.DB).List(b.t.Context(), id, audit.Page{Limit: 1000}))(b.t)
}

// SetReportingMode refuses anyone but an owner, and an unconfirmed change. It then changes neither mode nor audit log.
func TestOnlyOwnersSetTheReportingMode(t *testing.T) {
	b := setup(t)
	before := b.readOrganisation(ourOrganisation)
	for name, actor := range map[string]org.Actor{
		"admin with two-step": newActor(ourOrganisation, "admin", true),
		"member":              newActor(ourOrganisation, "member", true),
		"no organisation":     newActor("", "owner", true),
		"unknown one":         newActor(unknownID, "owner", false),
		"a key": {Subject: authz.Subject{
			Kind: authz.Key, OrganisationID: ourOrganisation, Grants: []string{"reports:read", "owner"},
		}},
	} {
		err := b.service.SetReportingMode(t.Context(), actor, org.Pseudonymous, org.Nominative, request)
		require.True(t, apperr.Is(err, apperr.AccessDenied), "%s: %v", name, err)
	}
	actor, mode := newActor(ourOrganisation, "owner", true), org.Nominative
	require.ErrorContains(t, b.service.SetReportingMode(t.Context(), actor, mode, mode, request), "Another owner")
	require.Equal(t, before, b.readOrganisation(ourOrganisation))
	require.Empty(t, b.entries(ourOrganisation))
}

// SetReportingMode reads the actor's role again in its transaction, and locks in the order of a change of role.
func TestChangeOfModeWaitsForAChangeOfRole(t *testing.T) {
	b := setup(t)
	owner := newActor(ourOrganisation, "owner", false)
	set := func() error { return b.service.SetReportingMode(t.Context(), owner, "", org.Nominative, request) }
	roleChange := b.Begin(`select from organisations where id = $1 for no key update`, ourOrganisation)
	errAfterChange := b.WhileWaiting(roleChange, set, func() {
		b.ExecIn(roleChange, `update memberships set role = 'admin' where user_id = $1`, owner.Person.ID)
	})
	b.Exec(`delete from memberships where user_id = $1`, owner.Person.ID)
	for _, err := range []error{errAfterChange, set()} {
		require.True(t, apperr.Is(err, apperr.AccessDenied), "%v", err)
	}
	require.Equal(t, org.Pseudonymous, b.readOrganisation(ourOrganisation).ReportingMode)
	require.Empty(t, b.entries(ourOrganisation))
}

// An organisation keeps an owner: if the last two leave concurrently, the second is refused.
func TestLastOwnerCannotLeave(t *testing.T) {
	b := setup(t)
	lastOwner := b.AddMember(ourOrganisation, "owner")
	firstLeave := b.Begin(`select from organisations where id = $1 for no key update`, ourOrganisation)
	err := b.WhileWaiting(firstLeave, func() error {
		return b.Owner.Gorm.WithContext(t.Context()).Transaction(func(tx *gorm.DB) error {
			return b.service.LeaveAllIn(tx, audit.Actor{ID: lastOwner.ID}, func() error { return nil }, request)
		})
	}, func() {
		b.ExecIn(firstLeave, `delete from memberships where user_id = $1`, personID(ourOrganisation, "owner"))
	})
	require.ErrorContains(t, err, "leaves ours without an owner")
}

// ErasePlayer deletes the player with all memberships in groups, or nothing. The entry has the id, not the name.
func TestErasedPlayerLeavesAnEntry(t *testing.T) {
	b := setup(t)
	ownerService := org.New(b.Owner, audit.New(b.Owner), nil)
	players := b.AddPlayers(ourOrganisation, 2)
	b.AddGroup(ourOrganisation, players...)
	errFailed := errors.New("failed")
	erase := func(service *org.Service, id string, forgetErr error) error {
		return service.ErasePlayer(t.Context(), id, func(_ *gorm.DB, organisation string) error {
			require.Equal(t, ourOrganisation, organisation)
			return forgetErr
		}, audit.Request{Path: "dg erase"})
	}
	require.ErrorContains(t, erase(b.service, players[0].ID, nil), "permission denied")
	require.ErrorIs(t, erase(ownerService, players[0].ID, errFailed), errFailed)
	require.Equal(t, 2, b.CountRows(`players`))
	require.Empty(t, b.entries(ourOrganisation))

	require.NoError(t, erase(ownerService, players[0].ID, nil))
	require.Equal(t, 1, b.CountRows(`players`))
	require.Equal(t, 1, b.CountRows(`group_members`))
	entries := b.entries(ourOrganisation)
	require.Len(t, entries, 1)
	require.Equal(t, audit.Entry{
		ID: entries[0].ID, At: entries[0].At, OrganisationID: ourOrganisation, Actor: audit.OperatorActor,
		Action: audit.PlayerErased, Target: audit.Target{Kind: "player", ID: players[0].ID},
		Request: audit.Request{Path: "dg erase"}, Details: map[string]any{},
	}, entries[0])
	for _, id := range []string{players[0].ID, unknownID, "' or true --"} {
		err := erase(ownerService, id, nil)
		require.True(t, apperr.Is(err, apperr.NotFound), "%q: %v", id, err)
	}
}

func (b fixture) erasePlayer(player string) error {
	return org.New(b.Owner, audit.New(b.Owner), nil).ErasePlayer(b.t.Context(), player,
		func(*gorm.DB, string) error { return nil }, audit.Request{})
}

// An erasure deletes the player's plays and memberships, and no others, even if the schema has lost its foreign keys.
func TestErasureWithoutForeignKeysLeavesNothing(t *testing.T) {
	b := setup(t)
	var player string
	for _, organisation := range []string{theirOrganisation, ourOrganisation} {
		fork := b.AddFork(testkit.Fork{OrganisationID: organisation})
		players := b.AddPlayers(organisation, 2)
		b.AddGroup(organisation, players...)
		for _, p := range players {
			b.AddPlay(testkit.Play{Fork: fork, Player: p, StartedAt: fork.CreatedAt})
		}
		player = players[0].ID
	}
	b.Exec(`alter table plays drop constraint plays_org_id_player_fkey`)
	b.Exec(`alter table group_members drop constraint group_members_org_id_player_fkey`)
	require.NoError(t, b.erasePlayer(player))
	for _, table := range []string{"plays", "group_members"} {
		require.Equal(t, 1, b.CountRows(table+` where org_id = $1`, ourOrganisation), table)
		require.Equal(t, 2, b.CountRows(table+` where org_id = $1`, theirOrganisation), table)
	}
}

// An import locks the organisation's ordinals, then renames players. A concurrent erasure waits for the import.
func TestErasureDuringARenameDoesNotDeadlock(t *testing.T) {
	b := setup(t)
	player := b.AddPlayers(ourOrganisation, 1)[0]
	renaming := b.Begin(`select from player_ordinals where org_id = $1 for update`, ourOrganisation)
	require.NoError(t, b.WhileWaiting(renaming, func() error { return b.erasePlayer(player.ID) },
		func() { b.ExecIn(renaming, `update players set display_name = 'New' where id = $1`, player.ID) }))
	require.Zero(t, b.CountRows(`players`))
	player = b.AddPlayers(ourOrganisation, 1)[0]
	erasing := b.Begin(`select from player_ordinals where org_id = $1 for update`, ourOrganisation)
	require.ErrorContains(t, b.WhileWaiting(erasing, func() error { return b.erasePlayer(player.ID) },
		func() { b.ExecIn(erasing, `delete from players`) }), "No such player")
	require.Len(t, b.entries(ourOrganisation), 1, "one erasure of two is recorded")
}

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
		require.Equal(t, memberships[i], tb.Must(b.service.Membership(t.Context(), ann, slug))(t))
		on := tb.Must(b.service.MembershipOn(t.Context(), b.DB, ann, memberships[i].OrganisationID))(t)
		require.Equal(t, memberships[i].Role, on.Role)
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
	require.Len(t, tb.Must(b.service.OrganisationIDsIn(b.DB.Gorm, ann))(t), 1000)
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
