package org_test

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
)

func actor(organisation, role string, twoStep bool) org.Actor {
	return org.Actor{
		Person: audit.Actor{
			Kind: audit.Person,
			ID:   personID(organisation, role),
			Name: "Ada " + role,
		},
		Subject: authz.Subject{
			Kind:           authz.Member,
			OrganisationID: organisation,
			Grants:         authz.MemberGrants(role, twoStep),
		},
	}
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
		require.Equal(t, c.drawn, version != before, "step %d: what caches stand on", i)
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
		"nobody":              {Subject: authz.Subject{OrganisationID: ours}},
		"of nothing":          actor("", "owner", true),
		"a key": {
			Subject: authz.Subject{
				Kind:           authz.Key,
				OrganisationID: ours,
				Grants:         []string{"reports:read", "owner"},
			},
		},
	} {
		err := b.orgs.SetReportingMode(t.Context(), who, org.Nominative, request)
		require.True(t, apperr.Is(err, apperr.AccessDenied), "%s: %v", name, err)
	}
	for _, mode := range []org.ReportingMode{"", "open", "Nominative", "nominative\x00"} {
		err := b.orgs.SetReportingMode(t.Context(), actor(ours, "owner", false), mode, request)
		require.True(t, apperr.Is(err, apperr.Validation), "%q: %v", mode, err)
	}
	err := b.orgs.SetReportingMode(t.Context(), actor(unknown, "owner", false), org.Nominative,
		request)
	require.True(t, apperr.Is(err, apperr.AccessDenied),
		"nobody is a member of what is not there: %v", err)
	mode, version := b.mode(ours)
	require.Equal(t, org.Pseudonymous, mode)
	require.Equal(t, before, version)
	require.Empty(t, b.entries(ours))
}

// The role is read again in the transaction that writes.
func TestOwnerWhoLosesTheRoleMeanwhileChangesNothing(t *testing.T) {
	b := setup(t)
	for _, lose := range []string{
		`update memberships set role = 'admin' where user_id = $1`,
		`delete from memberships where user_id = $1`,
	} {
		b.Exec(lose, personID(ours, "owner"))
		err := b.orgs.SetReportingMode(t.Context(), actor(ours, "owner", false), org.Nominative,
			request)
		require.True(t, apperr.Is(err, apperr.AccessDenied), "%s: %v", lose, err)
	}
	mode, _ := b.mode(ours)
	require.Equal(t, org.Pseudonymous, mode)
	require.Empty(t, b.entries(ours))
}

// Concurrent changes form one chain: each entry records the mode that the change before it left.
func TestConcurrentChangesOfReportingModeFormAChain(t *testing.T) {
	b := setup(t)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			mode := []org.ReportingMode{org.Nominative, org.Pseudonymous}[i%2]
			if err := b.orgs.SetReportingMode(t.Context(), actor(ours, "owner", false), mode,
				request); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	entries := b.entries(ours)
	mode, _ := b.mode(ours)
	// The newest by number: instants are taken before the locks and may be out of order here.
	byVersion := map[any]int{}
	for _, e := range entries {
		require.NotEqual(t, e.Details["from"], e.Details["to"])
		byVersion[e.Details["to"]]++
	}
	difference := byVersion["nominative"] - byVersion["pseudonymous"]
	want := map[org.ReportingMode]int{org.Nominative: 1, org.Pseudonymous: 0}[mode]
	require.Equal(t, want, difference, "a chain from pseudonymous to %s", mode)
	require.NotEmpty(t, entries)
}

// The change and its entry commit together.
func TestReportingModeDoesNotChangeWithoutItsEntry(t *testing.T) {
	b := setup(t)
	b.Exec(`revoke insert on audit_entries from dg_app`)
	err := b.orgs.SetReportingMode(t.Context(), actor(ours, "owner", false), org.Nominative,
		request)
	require.Error(t, err)
	mode, _ := b.mode(ours)
	require.Equal(t, org.Pseudonymous, mode)
}

// Of an organisation the serving role may change the reporting mode only.
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
		refused, ok := err.(*pgconn.PgError)
		require.True(t, ok, "%s: %v", statement, err)
		require.Equal(t, "42501", refused.Code, statement)
	}
}
