package org_test

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
)

func actor(organisation, role string, twoStep bool) org.Actor {
	person := audit.Actor{Kind: audit.Person, ID: personID(organisation, role), Name: "Ada " + role}
	return org.Actor{Person: person, Subject: authz.Subject{
		Kind: authz.Member, OrganisationID: organisation, Grants: authz.MemberGrants(role, twoStep),
	}}
}

var request = audit.Request{
	Method:    "POST",
	Path:      "/o/ours/settings/organisation/reporting-mode",
	Address:   "192.0.2.7",
	UserAgent: "test",
	ID:        "request-0001",
}

func (b bundle) organisation(id string) org.Organisation {
	b.t.Helper()
	o, err := b.orgs.OrganisationIn(b.DB.Gorm.WithContext(b.t.Context()), id)
	require.NoError(b.t, err)
	return o
}

func (b bundle) mode(id string) (mode org.ReportingMode, version int64) {
	b.t.Helper()
	o := b.organisation(id)
	return o.ReportingMode, o.Version
}

func (b bundle) entries(id string) []audit.Entry {
	b.t.Helper()
	entries, err := b.log.List(b.t.Context(), id, audit.Page{Limit: 1000})
	require.NoError(b.t, err)
	return entries
}

// Each change leaves one entry with the actor, the old and the new mode; setting the current mode
// leaves none.
func TestChangeOfReportingModeIsRecorded(t *testing.T) {
	b := setup(t)
	owner := actor(ours, "owner", false)
	_, theirVersion := b.mode(theirs)
	for i, c := range []struct {
		mode    org.ReportingMode
		entries int
		drawn   bool
	}{
		{org.Pseudonymous, 0, false}, {org.Nominative, 1, true}, {org.Nominative, 1, false},
		{org.Pseudonymous, 2, true},
	} {
		_, before := b.mode(ours)
		require.NoError(t, b.orgs.SetReportingMode(t.Context(), owner, c.mode, request))
		mode, version := b.mode(ours)
		require.Equal(t, c.mode, mode, "step %d", i)
		require.Equal(t, c.drawn, version != before, "step %d: the version", i)
		require.Len(t, b.entries(ours), c.entries, "step %d", i)
	}
	last := b.entries(ours)[0]
	want := audit.Entry{
		ID:             last.ID,
		At:             last.At,
		OrganisationID: ours,
		Actor:          owner.Person,
		Action:         audit.ReportingModeChanged,
		Target:         audit.Target{Kind: "organisation", ID: ours},
		Details:        map[string]any{"from": "nominative", "to": "pseudonymous"},
		Request:        request,
	}
	require.Equal(t, want, last)
	require.Empty(t, b.entries(theirs))
	mode, version := b.mode(theirs)
	require.Equal(t, org.Nominative, mode)
	require.Equal(t, theirVersion, version)
}

func TestOnlyOwnersSetTheReportingMode(t *testing.T) {
	b := setup(t)
	_, before := b.mode(ours)
	for name, who := range map[string]org.Actor{
		"admin":               actor(ours, "admin", false),
		"admin with two-step": actor(ours, "admin", true),
		"member":              actor(ours, "member", true),
		"no role":             {Subject: authz.Subject{OrganisationID: ours}},
		"no organisation":     actor("", "owner", true),
		"unknown one":         actor(unknown, "owner", false),
		"a key": {Subject: authz.Subject{
			Kind: authz.Key, OrganisationID: ours, Grants: []string{"reports:read", "owner"},
		}},
	} {
		err := b.orgs.SetReportingMode(t.Context(), who, org.Nominative, request)
		require.True(t, apperr.Is(err, apperr.AccessDenied), "%s: %v", name, err)
	}
	for _, mode := range []org.ReportingMode{"", "open", "Nominative", "nominative\x00"} {
		err := b.orgs.SetReportingMode(t.Context(), actor(ours, "owner", false), mode, request)
		require.True(t, apperr.Is(err, apperr.Validation), "%q: %v", mode, err)
	}
	mode, version := b.mode(ours)
	require.Equal(t, org.Pseudonymous, mode)
	require.Equal(t, before, version)
	require.Empty(t, b.entries(ours))
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
	mode, _ := b.mode(ours)
	require.Equal(t, org.Pseudonymous, mode)
	require.Empty(t, b.entries(ours))
}

// Concurrent changes form one chain: each entry records the mode that the change before it set.
func TestConcurrentChangesOfReportingModeFormAChain(t *testing.T) {
	b := setup(t)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			mode := []org.ReportingMode{org.Nominative, org.Pseudonymous}[i%2]
			err := b.orgs.SetReportingMode(t.Context(), actor(ours, "owner", false), mode, request)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	// Counted, not ordered: an entry's instant is taken before the lock.
	toNominative := 0
	for _, e := range b.entries(ours) {
		require.NotEqual(t, e.Details["from"], e.Details["to"])
		if e.Details["to"] == "nominative" {
			toNominative++
		} else {
			toNominative--
		}
	}
	mode, _ := b.mode(ours)
	want := map[org.ReportingMode]int{org.Nominative: 1, org.Pseudonymous: 0}[mode]
	require.Equal(t, want, toNominative, "the chain begins pseudonymous and ends %s", mode)
	require.NotEmpty(t, b.entries(ours))
}

// The serving role may update the reporting mode of an organisation and nothing else.
func TestServingRoleMayChangeOnlyTheReportingMode(t *testing.T) {
	b := setup(t)
	for _, statement := range []string{
		`update organisations set plan = 'enterprise'`, `update organisations set name = 'x'`,
		`update organisations set version = 1`,
		`update organisations set slug = 'x'`,
		`update organisations set reporting_mode = 'nominative', plan = 'pro'`,
		`delete from organisations`, `insert into organisations select * from organisations`,
		`update memberships set role = 'owner'`,
	} {
		_, err := b.DB.Pool.Exec(t.Context(), statement)
		var refused *pgconn.PgError
		require.ErrorAs(t, err, &refused, statement)
		require.Equal(t, "42501", refused.Code, statement)
	}
}
