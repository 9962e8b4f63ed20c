package authz_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/authz"
)

// Specification, section 5, rules 3 to 6, and decisions, "Keys": who may do what, all pairs.
func TestPolicy(t *testing.T) {
	policy, err := authz.New()
	require.NoError(t, err)

	deeds := []authz.Deed{authz.ListForks, authz.ReadFork, authz.ReadReport, authz.ExportReport, authz.CreateKey, authz.ListKeys, authz.RevokeKey}
	forks, reports := deeds[:2], deeds[2:4]
	keys := deeds[4:]
	stop := deeds[5:]
	for name, c := range map[string]struct {
		kind    authz.Kind
		grants  []string
		allowed []authz.Deed
	}{
		"key without scope":      {authz.Key, nil, nil},
		"key forks:read":         {authz.Key, []string{"forks:read"}, forks},
		"key reports:read":       {authz.Key, []string{"reports:read"}, reports},
		"key both":               {authz.Key, []string{"forks:read", "reports:read"}, deeds[:4]},
		"key that claims a role": {authz.Key, []string{"owner"}, nil},
		"owner":                  {authz.Member, authz.MemberGrants("owner", false), keys},
		"owner with two-step":    {authz.Member, authz.MemberGrants("owner", true), keys},
		"admin":                  {authz.Member, authz.MemberGrants("admin", false), stop},
		"admin with two-step":    {authz.Member, authz.MemberGrants("admin", true), keys},
		"member":                 {authz.Member, authz.MemberGrants("member", true), nil},
		"unknown kind":           {"", []string{"owner", "forks:read"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, d := range deeds {
				want := false
				for _, a := range c.allowed {
					want = want || a == d
				}
				s := authz.Subject{Kind: c.kind, OrganisationID: "a", Grants: c.grants}
				require.Equal(t, want, policy.Decide(s, d, "a") == nil, "%v", d)
				require.ErrorIs(t, policy.Decide(s, d, "b"), authz.ErrDenied, "another organisation: %v", d)
				s.OrganisationID = ""
				require.ErrorIs(t, policy.Decide(s, d, ""), authz.ErrDenied, "no organisation: %v", d)
			}
		})
	}
}
