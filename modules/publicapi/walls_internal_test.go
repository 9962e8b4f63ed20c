package publicapi

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// The organisation in each statement and the policy are two walls
// (TestStatementsHoldWithoutThePolicy has the other one). The policy holds alone, because it is
// asked about the organisation that owns what was loaded.
func TestPolicyHoldsWithoutTheOrganisationInStatements(t *testing.T) {
	t.Parallel()
	for request, status := range map[string]int{
		"GET " + foreignPath:           http.StatusForbidden,
		"GET " + foreignPath + stats:   http.StatusForbidden,
		"HEAD " + foreignPath + stats:  http.StatusForbidden,
		"GET " + foreignPath + export:  http.StatusForbidden,
		"HEAD " + foreignPath + export: http.StatusForbidden,
		"GET " + listPath:              http.StatusInternalServerError, // a fault of the program

		"GET " + ownPath + stats + "&groupId=" + foreignGroup:  http.StatusNotFound,
		"HEAD " + ownPath + stats + "&groupId=" + foreignGroup: http.StatusNotFound,
		"GET " + ownPath + export + "&groupId=" + foreignGroup: http.StatusNotFound,
	} {
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			m := newMocked(t)
			m.foreign = true
			for range 2 { // nothing of it is cached either
				response, body, _ := m.send(request, 0, nil)
				require.Equal(t, status, response.StatusCode)
				require.NotContains(t, body, marker)
				require.Equal(t, status != http.StatusInternalServerError, len(m.refused) == 1,
					"recorded in the audit log")
			}
		})
	}
}
