package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/authz"
)

// rules.md, Keys: nothing is allowed across organisations. What a module returns although it is
// another organisation's is refused by the policy, which is asked about the owner of what was
// loaded.
func TestPolicyRefusesWhatAnotherOrganisationOwns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		call, path string
		status     int
	}{
		{"Games.Fork", forkAt, 404},
		{"Games.Fork", forkAt + "/plays.csv", 404},
		{"Games.Forks", "/o/acme/reports", 403},
		{"Games.Forks", "/o/acme/settings/audit-log", 403},
		{"Reports.Statistics", forkAt + "?groupId=1", 404},
		{"Exports.Send", forkAt + "/plays.csv?groupId=1", 404},
		{"Log.List", "/o/acme/settings/audit-log", 403},
		{"Log.List", "/o/acme/settings/audit-log.csv", 403},
		{"Orgs.Membership", "/o/acme/settings/organisation", 403},
		{"Orgs.Members", "/o/acme/settings/organisation", 403},
		{"Orgs.Groups", forkAt, 403},
		{"Games.Forks", "/docs", 200}, // with invented examples
		{"Orgs.GroupPage", "/o/acme/settings/organisation", 403},
	} {
		t.Run(c.call+" "+c.path, func(t *testing.T) {
			t.Parallel()
			s, _ := newMocked(t, someCalls{t}, newPolicy(t))
			s.foreign = c.call
			response, body, made := s.send(http.MethodGet, c.path, "", 0, nil)
			require.Equal(t, c.status, response.StatusCode, "%s", body)
			require.NotContains(t, body, marker)
			require.Contains(t, made, c.call)
		})
	}
}

// The documentation names a group of the reader's organisation, and no other.
func TestDocsNameNoForeignGroup(t *testing.T) {
	t.Parallel()
	s, _ := newMocked(t, someCalls{t}, newPolicy(t))
	_, body, _ := s.send(http.MethodGet, "/docs", "", 0, nil)
	require.Equal(t, 2, strings.Count(body, marker), "fork and group")
	s.foreign = "Orgs.Groups"
	_, body, _ = s.send(http.MethodGet, "/docs", "", 0, nil)
	require.Equal(t, 1, strings.Count(body, marker), "the fork alone")
}

// brokenPolicy cannot decide.
type brokenPolicy struct{}

func (brokenPolicy) Authorize(authz.Subject, authz.Permission, string) error {
	return errors.New("the model is broken")
}

// An error while deciding refuses, and no module is asked for anything after it.
func TestUndecidedRequestIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := newMocked(t, someCalls{t}, brokenPolicy{})
	for _, c := range screens {
		if method, path, _ := strings.Cut(c.route, " "); strings.HasPrefix(path, "/o/") {
			response, body, made := s.send(method, c.path, c.form, 0, nil)
			require.Equal(t, http.StatusInternalServerError, response.StatusCode, "%s", body)
			require.Equal(t, []string{"Identity.Session", "Orgs.Membership"}, made, c.route)
		}
	}
}
