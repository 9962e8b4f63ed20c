package web

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/web/ui"
)

// rules.md, CSV: a running download asks again whether its person still has access. No answer is an
// error of its own, never a yes, and never a no.
func TestRecheckOfADownload(t *testing.T) {
	t.Parallel()
	other := acme
	other.ID = "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e49"
	owner := org.Membership{OrganisationID: acme.ID, Organisation: acme, Role: org.RoleOwner}
	failed := failures[0].err
	for name, c := range map[string]struct {
		sessionErr, membershipErr error
		membership                org.Membership
		status                    int // of the error; 0: none
	}{
		"access":               {nil, nil, owner, 0},
		"session ended":        {identity.ErrNoSession, nil, owner, http.StatusUnauthorized},
		"sessions unavailable": {failed, nil, owner, http.StatusServiceUnavailable},
		"membership ended": {
			nil, apperr.New(apperr.NotFound, "No such organisation."), owner, http.StatusNotFound,
		},
		"memberships unavailable": {nil, failed, owner, http.StatusServiceUnavailable},
		"role lost": {
			nil, nil, org.Membership{
				OrganisationID: acme.ID,
				Organisation:   acme,
				Role:           org.RoleMember,
			}, http.StatusForbidden,
		},
		"slug taken by another": {
			nil, nil, org.Membership{
				OrganisationID: other.ID,
				Organisation:   other,
				Role:           org.RoleOwner,
			}, http.StatusForbidden,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			people := newMockIdentity(someCalls{t})
			orgs := newMockOrganisations(someCalls{t})
			people.On("Session", anything, "token").Return(signed, c.sessionErr)
			orgs.On("Membership", anything, ann.ID, acme.Slug).Return(c.membership, c.membershipErr)
			g := &ui.Guard{
				Policy:      newPolicy(t),
				RecheckOrgs: orgs,
				Auth:        ui.Cookies{Recheck: people},
			}
			err := g.Recheck(&ui.Principal{Organisation: acme, Token: "token"},
				authz.ReadAuditLog)(t.Context())
			if c.status == 0 {
				require.NoError(t, err)
				return
			}
			require.Equal(t, c.status, apperr.From(err).HTTP().Status)
		})
	}
}
