package ui

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/configs"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
)

// world answers as the modules do.
type world struct {
	sessionErr, membershipErr error
	membership                org.Membership
	undecided                 bool // the policy fails
}

func (w world) session(context.Context, *postgres.DB, string) (identity.Session, error) {
	return identity.Session{Person: identity.Person{ID: "ann"}}, w.sessionErr
}

func (w world) membershipOf(
	context.Context, *postgres.DB, string, string,
) (org.Membership, error) {
	return w.membership, w.membershipErr
}

// rules.md, CSV: a running download asks again whether its person still has access. No answer is an
// error of its own, never a yes, and never a no. Nothing is allowed across organisations.
func TestRecheckOfADownload(t *testing.T) {
	t.Parallel()
	policy, err := authz.New()
	require.NoError(t, err)
	broken, err := authz.Compile(
		strings.Replace(configs.AuthzModel, "hasGrant(r.grants, p.grant)", "hasGrant(r.grants)", 1),
		configs.AuthzPolicy)
	require.NoError(t, err)
	as := func(role org.Role, id, slugOf string) org.Membership {
		return org.Membership{
			OrganisationID: id, Organisation: org.Organisation{ID: slugOf, Slug: "acme"}, Role: role,
		}
	}
	owner := as(org.RoleOwner, "acme", "acme")
	member := as(org.RoleMember, "acme", "acme")
	taken := as(org.RoleOwner, "other", "other")
	foreign := as(org.RoleOwner, "other", "acme")
	failed := &apperr.Error{Code: apperr.Unavailable, Message: "The database did not answer."}
	none := apperr.New(apperr.NotFound, "No such organisation.")
	for name, c := range map[string]struct {
		world  world
		status int // of the error; 0: none
	}{
		"access":                  {world{membership: owner}, 0},
		"session ended":           {world{sessionErr: identity.ErrNoSession}, http.StatusUnauthorized},
		"sessions unavailable":    {world{sessionErr: failed}, http.StatusServiceUnavailable},
		"membership ended":        {world{membershipErr: none}, http.StatusNotFound},
		"memberships unavailable": {world{membershipErr: failed}, http.StatusServiceUnavailable},
		"role lost":               {world{membership: member}, http.StatusForbidden},
		"slug taken by another":   {world{membership: taken}, http.StatusForbidden},
		"another's membership":    {world{membership: foreign}, http.StatusForbidden},
		"policy undecided": {
			world{membership: owner, undecided: true},
			http.StatusInternalServerError,
		},
	} {
		p := &Principal{Membership: owner, policy: policy}
		if c.world.undecided {
			p.policy = broken
		}
		err := accessCheck(p, audit.ReadAuditLog, c.world.session, c.world.membershipOf)(t.Context(), nil)
		if c.status == 0 {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, c.status, apperr.From(err).HTTP().Status, name)
	}
}
