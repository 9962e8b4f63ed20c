package org_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/org"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

// What cannot be read is not reported as missing, empty or forbidden: the one is 503, the others
// are 404, 200 and 403.
func TestUnreachableOrganisationsAreNotMissing(t *testing.T) {
	b := setup(t)
	gone := pgtest.Open(t, b.URL, postgres.Options{MaxConns: 1})
	gone.Close()
	policy, err := authz.New()
	require.NoError(t, err)
	orgs := org.New(gone, b.log, policy)
	person := personID(ours, "owner")
	tx := gone.Gorm.WithContext(t.Context())
	_, organisation := orgs.OrganisationIn(tx, ours)
	_, memberships := orgs.MembershipsOf(t.Context(), person)
	_, membership := orgs.Membership(t.Context(), person, "ours")
	_, _, members := orgs.Members(t.Context(), ours)
	_, organisations := orgs.OrganisationsOf(tx, person)
	_, groups := orgs.Groups(t.Context(), ours, "")
	_, subject := orgs.SubjectIn(tx, ours, person)
	_, current := orgs.CurrentSubjectIn(tx, ours, person)
	for name, err := range map[string]error{
		"organisation":              organisation,
		"memberships":               memberships,
		"membership":                membership,
		"members":                   members,
		"groups":                    groups,
		"organisations of a person": organisations,
		"subject":                   subject,
		"current subject":           current,
		"reporting mode": orgs.SetReportingMode(t.Context(), actor(ours, "owner", false),
			org.Nominative, request),
	} {
		require.True(t, postgres.Unavailable(err), "%s: %v", name, err)
	}
}
