package org_test

import (
	"errors"
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

// SetReportingMode refuses anyone but an owner. A refused call changes neither the mode nor the audit log.
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
		err := b.service.SetReportingMode(t.Context(), actor, org.Nominative, request)
		require.True(t, apperr.Is(err, apperr.AccessDenied), "%s: %v", name, err)
	}
	require.Equal(t, before, b.readOrganisation(ourOrganisation))
	require.Empty(t, b.entries(ourOrganisation))
}

// SetReportingMode reads the actor's role again in its transaction, and locks in the order of a change of role.
func TestChangeOfModeWaitsForAChangeOfRole(t *testing.T) {
	b := setup(t)
	owner := newActor(ourOrganisation, "owner", false)
	set := func() error { return b.service.SetReportingMode(t.Context(), owner, org.Nominative, request) }
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
			return b.service.LeaveAllIn(tx, audit.Actor{ID: lastOwner.ID}, request)
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
