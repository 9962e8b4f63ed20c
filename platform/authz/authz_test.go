package authz_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/configs"
	"dg/platform/authz"
)

// Every kind and grant has exactly the permissions of its policy lines, in its own organisation only.
func TestEachGrantHasItsPermissionsOnly(t *testing.T) {
	policy, err := authz.New()
	require.NoError(t, err)
	granted := map[authz.Permission][][2]string{} // pairs of kind and grant
	grants := map[string]bool{"member": true, "": true}
	for line := range strings.Lines(configs.AuthzPolicy) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), ", ")
		require.Len(t, cells, 5, "p, kind, grant, resource, action: %s", line)
		permission := authz.Permission{Resource: cells[3], Action: cells[4]}
		granted[permission] = append(granted[permission], [2]string{cells[1], cells[2]})
		grants[cells[2]] = true
	}
	for _, kind := range []authz.Kind{authz.Key, authz.Member, ""} {
		for grant := range grants {
			for permission, pairs := range granted {
				want := slices.Contains(pairs, [2]string{string(kind), grant})
				s := authz.Subject{Kind: kind, OrganisationID: "a", Grants: []string{"other", grant}}
				require.Equal(t, want, policy.Authorize(s, permission, "a") == nil, "%v %v", s, permission)
				require.ErrorIs(t, policy.Authorize(s, permission, "b"), authz.ErrDenied, "%v %v", s, permission)
				s.OrganisationID = ""
				require.ErrorIs(t, policy.Authorize(s, permission, ""), authz.ErrDenied, "%v %v", s, permission)
			}
		}
	}
}
