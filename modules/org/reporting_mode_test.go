package org_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/testkit"
)

func actor(organisation, role string, twoStep bool) org.Actor {
	person := audit.Actor{Kind: audit.Person, ID: personID(organisation, role), Name: "Ada " + role}
	return org.Actor{Person: person, Subject: authz.Subject{
		Kind: authz.Member, OrganisationID: organisation, Grants: authz.MemberGrants(role, twoStep),
	}}
}

var request = audit.Request{Method: "POST", Path: "/o/ours/settings", ID: "request-0001"}

func (b bundle) organisation(id string) org.Organisation {
	o, err := b.orgs.OrganisationIn(b.DB.Gorm.WithContext(b.t.Context()), id)
	require.NoError(b.t, err)
	return o
}

func (b bundle) entries(id string) []audit.Entry {
	entries, err := audit.New(b.DB).List(b.t.Context(), id, audit.Page{Limit: 1000})
	require.NoError(b.t, err)
	return entries
}

// Each change leaves one entry with the actor, the old and the new mode; setting the current mode
// leaves none.
func TestChangeOfReportingModeIsRecorded(t *testing.T) {
	b := setup(t)
	owner := actor(ours, "owner", false)
	their := b.organisation(theirs)
	for i, c := range []struct {
		mode    org.ReportingMode
		entries int
	}{
		{org.Pseudonymous, 0}, {org.Nominative, 1}, {org.Nominative, 1}, {org.Pseudonymous, 2},
	} {
		require.NoError(t, b.orgs.SetReportingMode(t.Context(), owner, c.mode, request))
		require.Equal(t, c.mode, b.organisation(ours).ReportingMode, "step %d", i)
		require.Len(t, b.entries(ours), c.entries, "step %d", i)
	}
	last := b.entries(ours)[0]
	require.Equal(t, audit.ReportingModeChanged, last.Action)
	require.Equal(t, owner.Person, last.Actor)
	require.Equal(t, audit.Target{Kind: "organisation", ID: ours}, last.Target)
	require.Equal(t, map[string]any{"from": "nominative", "to": "pseudonymous"}, last.Details)
	require.Equal(t, request, last.Request)
	require.Empty(t, b.entries(theirs))
	require.Equal(t, their, b.organisation(theirs))
}

func TestOnlyOwnersSetTheReportingMode(t *testing.T) {
	b := setup(t)
	before := b.organisation(ours)
	for name, who := range map[string]org.Actor{
		"admin with two-step": actor(ours, "admin", true),
		"member":              actor(ours, "member", true),
		"no organisation":     actor("", "owner", true),
		"unknown one":         actor(unknown, "owner", false),
		"a key": {Subject: authz.Subject{
			Kind: authz.Key, OrganisationID: ours, Grants: []string{"reports:read", "owner"},
		}},
	} {
		err := b.orgs.SetReportingMode(t.Context(), who, org.Nominative, request)
		require.True(t, apperr.Is(err, apperr.AccessDenied), "%s: %v", name, err)
	}
	for _, mode := range []org.ReportingMode{"", "Nominative", "nominative\x00"} {
		err := b.orgs.SetReportingMode(t.Context(), actor(ours, "owner", false), mode, request)
		require.True(t, apperr.Is(err, apperr.Validation), "%q: %v", mode, err)
	}
	require.Equal(t, before, b.organisation(ours))
	require.Empty(t, b.entries(ours))
}

// A change of the reporting mode and one of its actor's role lock in one order: neither fails.
func TestChangeOfModeWaitsForAChangeOfRole(t *testing.T) {
	b := setup(t)
	owner := actor(ours, "owner", false)
	role := b.Begin(`select from organisations where id = $1 for no key update`, ours)
	err := b.WhileWaiting(role,
		func() error { return b.orgs.SetReportingMode(t.Context(), owner, org.Nominative, request) },
		func() {
			_, err := role.Exec(t.Context(), `update memberships set role = 'admin'
				where user_id = $1`, owner.Person.ID)
			require.NoError(t, err)
		})
	require.True(t, apperr.Is(err, apperr.AccessDenied), "%v", err)
}

// The transaction that writes reads the role again.
func TestFormerOwnerDoesNotSetTheReportingMode(t *testing.T) {
	b := setup(t)
	for _, change := range []string{
		`update memberships set role = 'admin' where user_id = $1`,
		`delete from memberships where user_id = $1`,
	} {
		b.Exec(change, personID(ours, "owner"))
		err := b.orgs.SetReportingMode(t.Context(), actor(ours, "owner", false), org.Nominative,
			request)
		require.True(t, apperr.Is(err, apperr.AccessDenied), "%s: %v", change, err)
	}
	require.Equal(t, org.Pseudonymous, b.organisation(ours).ReportingMode)
	require.Empty(t, b.entries(ours))
}

// Concurrent changes form one chain: each entry records the mode that the change before it set.
func TestConcurrentChangesOfReportingModeFormAChain(t *testing.T) {
	b := setup(t)
	testkit.Concurrently(40, func(i int) {
		mode := []org.ReportingMode{org.Nominative, org.Pseudonymous}[i%2]
		err := b.orgs.SetReportingMode(t.Context(), actor(ours, "owner", false), mode, request)
		assert.NoError(t, err)
	})
	// Counted, not ordered: an entry's instant is taken before the lock.
	modes := map[any]int{string(org.Pseudonymous): 1}
	for _, e := range b.entries(ours) {
		require.NotEqual(t, e.Details["from"], e.Details["to"])
		modes[e.Details["from"]]--
		modes[e.Details["to"]]++
	}
	require.Equal(t, 1, modes[string(b.organisation(ours).ReportingMode)], "the chain ends there")
	require.NotEmpty(t, b.entries(ours))
}
