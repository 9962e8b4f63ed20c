package authz_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/authz"
)

// rules.md, Keys: every grant against every permission.
func TestEachGrantHasItsPermissionsOnly(t *testing.T) {
	policy, err := authz.New()
	require.NoError(t, err)

	forks := []authz.Permission{authz.ListForks, authz.ReadFork}
	reports := []authz.Permission{authz.ReadReport, authz.ExportReport}
	manageKeys := []authz.Permission{authz.ListKeys, authz.RevokeKey}
	admin := slices.Concat([]authz.Permission{
		authz.ListForks, authz.ReadAuditLog, authz.ReadOrganisation,
	}, reports, manageKeys)
	adminTwoStep := append(slices.Clone(admin), authz.CreateKey, authz.ReplaceKey, authz.RenameKey)
	owner := append(slices.Clone(adminTwoStep), authz.ChangeReportingMode)
	permissions := append(slices.Clone(owner), authz.ReadFork)
	for name, c := range map[string]struct {
		kind    authz.Kind
		grants  []string
		allowed []authz.Permission
	}{
		"key without scope": {authz.Key, nil, nil},
		"key forks:read":    {authz.Key, []string{"forks:read"}, forks},
		"key reports:read":  {authz.Key, []string{"reports:read"}, reports},
		"key both": {
			authz.Key, []string{"forks:read", "reports:read"}, slices.Concat(forks, reports),
		},
		"key that claims a role": {authz.Key, []string{"owner"}, nil},
		"owner":                  {authz.Member, authz.MemberGrants("owner", false), owner},
		"owner with two-step":    {authz.Member, authz.MemberGrants("owner", true), owner},
		"admin":                  {authz.Member, authz.MemberGrants("admin", false), admin},
		"admin with two-step":    {authz.Member, authz.MemberGrants("admin", true), adminTwoStep},
		"member":                 {authz.Member, authz.MemberGrants("member", true), nil},
		"unknown kind":           {"", []string{"owner", "forks:read"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, permission := range permissions {
				want := slices.Contains(c.allowed, permission)
				s := authz.Subject{Kind: c.kind, OrganisationID: "a", Grants: c.grants}
				require.Equal(t, want, policy.Authorize(s, permission, "a") == nil, "%v",
					permission)
				require.ErrorIs(t, policy.Authorize(s, permission, "b"), authz.ErrDenied,
					"another organisation: %v", permission)
				s.OrganisationID = ""
				require.ErrorIs(t, policy.Authorize(s, permission, ""), authz.ErrDenied,
					"no organisation: %v", permission)
			}
		})
	}
}
