package publicapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/httpserver"
)

const (
	listPath    = "/api/v1/forks"
	ownPath     = listPath + "/" + ownFork
	foreignPath = listPath + "/" + foreignFork
	unknownPath = listPath + "/" + unknown
	stats       = "/stats?from=2026-03-01&to=2026-03-31"
	export      = "/exports/csv?from=2026-03-01&to=2026-03-31"
)

// forkCalls are the calls before a report of a fork: key, scope, fork, its owner.
var forkCalls = []string{"Keys.Authenticate", "Policy.Authorize", "Forks.Fork", "Policy.Authorize"}

// foreignCalls are the calls that refuse a fork of another organisation, and record that.
var foreignCalls = []string{
	"Keys.Authenticate", "Policy.Authorize", "Forks.Fork", "Forks.ForkOwner", "Policy.Authorize",
	"Keys.Refuse",
}

// after returns the calls with more behind them.
func after(calls []string, more ...string) []string { return append(slices.Clone(calls), more...) }

// scenario is a request and what it does while every module works.
type scenario struct {
	request string
	status  int
	calls   []string
	refused []refusal     // recorded in the audit log
	with    func(*mocked) // what differs from the usual
}

var scenarios = map[string]scenario{
	"list": {
		request: "GET " + listPath, status: http.StatusOK,
		calls: []string{
			"Keys.Authenticate", "Policy.Authorize", "Reports.AdmitForks", "Forks.Forks",
			"Policy.Authorize",
		},
	},
	"large list": {
		request: "GET " + listPath, status: http.StatusOK,
		calls: []string{
			"Keys.Authenticate", "Policy.Authorize", "Reports.AdmitForks", "Forks.Forks",
			"Policy.Authorize", "Reports.KeepAnswer",
		},
		with: func(m *mocked) { m.titles = strings.Repeat(marker, httpserver.StreamThreshold) },
	},
	"fork": {request: "GET " + ownPath, status: http.StatusOK, calls: forkCalls},
	"stats": {
		request: "GET " + ownPath + stats,
		status:  http.StatusOK,
		calls:   after(forkCalls, "Reports.Statistics"),
	},
	"HEAD stats": {
		request: "HEAD " + ownPath + stats,
		status:  http.StatusOK,
		calls:   after(forkCalls, "Reports.Suppressed"),
	},
	"export": {
		request: "GET " + ownPath + export,
		status:  http.StatusOK,
		calls:   after(forkCalls, "Exports.Send", "Keys.StillUsable"),
	},
	"key outside": {
		request: "GET /openapi/v1.json",
		status:  http.StatusForbidden,
		calls:   []string{"Keys.RefuseOutside"},
	},
	"no such path": {
		request: "GET /api/v1/games",
		status:  http.StatusNotFound,
		calls:   forkCalls[:1],
	},
	"unknown fork": {
		request: "GET " + unknownPath,
		status:  http.StatusNotFound,
		calls:   foreignCalls[:4],
	},
	"foreign fork": {
		request: "GET " + foreignPath,
		status:  http.StatusForbidden,
		calls:   foreignCalls,
		refused: ofForeign("fork", foreignFork),
	},
	"foreign fork's stats": {
		request: "GET " + foreignPath + stats,
		status:  http.StatusForbidden,
		calls:   foreignCalls,
		refused: ofForeign("fork", foreignFork),
	},
	"foreign fork's export": {
		request: "GET " + foreignPath + export,
		status:  http.StatusForbidden,
		calls:   foreignCalls,
		refused: ofForeign("fork", foreignFork),
	},
	"group's stats": {
		request: "GET " + ownPath + stats + "&groupId=" + ownGroup, status: http.StatusOK,
		calls: after(forkCalls, "Reports.Statistics", "Policy.Authorize"),
	},
	"group's export": {
		request: "GET " + ownPath + export + "&groupId=" + ownGroup, status: http.StatusOK,
		calls: after(forkCalls, "Exports.Send", "Policy.Authorize", "Keys.StillUsable"),
	},
	"unknown group": {
		request: "GET " + ownPath + stats + "&groupId=" + unknown, status: http.StatusNotFound,
		calls: after(forkCalls, "Reports.Statistics", "Groups.GroupOwner"),
	},
	"foreign group's stats": {
		request: "GET " + ownPath + stats + "&groupId=" + foreignGroup,
		status:  http.StatusNotFound,
		refused: ofForeign("group", foreignGroup),
		calls: after(forkCalls, "Reports.Statistics", "Groups.GroupOwner", "Policy.Authorize",
			"Keys.Refuse"),
	},
	"HEAD foreign group's stats": {
		request: "HEAD " + ownPath + stats + "&groupId=" + foreignGroup,
		status:  http.StatusNotFound,
		refused: ofForeign("group", foreignGroup),
		calls: after(forkCalls, "Reports.Suppressed", "Groups.GroupOwner", "Policy.Authorize",
			"Keys.Refuse"),
	},
	"foreign group's export": {
		request: "GET " + ownPath + export + "&groupId=" + foreignGroup,
		status:  http.StatusNotFound,
		refused: ofForeign("group", foreignGroup),
		calls: after(forkCalls, "Exports.Send", "Groups.GroupOwner", "Policy.Authorize",
			"Keys.Refuse"),
	},
	"no scope": {
		request: "GET " + ownPath + stats,
		status:  http.StatusForbidden,
		refused: []refusal{{reason: audit.InsufficientScope}},
		calls:   []string{"Keys.Authenticate", "Policy.Authorize", "Keys.Refuse"},
		with:    func(m *mocked) { m.scopes = []apikeys.Scope{apikeys.ForksRead} },
	},
}

func ofForeign(kind, id string) []refusal {
	return []refusal{{audit.OtherOrganisation, audit.Target{Kind: kind, ID: id}}}
}

// failures are how a call to a module fails, with the answer (rules.md, Failures).
var failures = map[string]struct {
	err        error
	status     int
	code       apperr.Code
	retryAfter string
}{
	"unavailable": {
		&apperr.Error{
			Code:       apperr.Unavailable,
			Message:    "Busy.",
			RetryAfter: 7,
		}, http.StatusServiceUnavailable, apperr.Unavailable, "7",
	},
	"timeout": {
		fmt.Errorf("module: %w", context.DeadlineExceeded), http.StatusServiceUnavailable,
		apperr.Unavailable, "2",
	},
	"cancelled": {
		fmt.Errorf("module: %w", context.Canceled), http.StatusServiceUnavailable,
		apperr.Unavailable, "2",
	},
	"not found": {
		apperr.New(apperr.NotFound, "No such thing."), http.StatusNotFound, apperr.NotFound, "",
	},
	"unexpected": {
		errors.New("module: secret internals"), http.StatusInternalServerError, apperr.Internal, "",
	},
}

// While every module works, a request makes these calls and no others, in the order of rules.md,
// Order of checks.
func TestCallsOfEachRequest(t *testing.T) {
	t.Parallel()
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := s.start(t)
			response, body, calls := m.send(s.request, 0, nil)
			require.Equal(t, s.status, response.StatusCode, body)
			require.Equal(t, s.calls, calls)
			require.Equal(t, s.refused, m.refused)
			require.Equal(t,
				s.status == http.StatusOK && response.Request.Method != http.MethodHead,
				strings.Contains(body, marker))
		})
	}
}

// rules.md, Failures: when a call to a module fails, the request ends with that failure, without
// any of the data read before, and no access is given whose refusal or export could not be
// recorded.
func TestEachFailingCallEndsTheRequest(t *testing.T) {
	t.Parallel()
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := s.start(t)
			for kind := range failures {
				for n, call := range s.calls {
					if kind == "not found" && call == "Forks.Fork" {
						continue // decides who owns the fork: "unknown fork", "foreign fork"
					}
					t.Run(fmt.Sprintf("%d %s %s", n, call, kind), func(t *testing.T) {
						requireFailure(t, m, s, n, kind)
					})
				}
			}
			response, body, _ := m.send(s.request, 0, nil)
			require.Equal(t, s.status, response.StatusCode,
				"no failed request holds a lease, or anything: %s", body)
		})
	}
}

// requireFailure fails call n of the scenario, and checks that the response is that failure, and
// nothing of an answer.
func requireFailure(t *testing.T, m *mocked, s scenario, n int, kind string) {
	t.Helper()
	want := failures[kind]
	response, body, calls := m.send(s.request, n+1, want.err)
	require.Equal(t, s.calls[:n+1], calls)
	require.Empty(t, m.refused)
	require.Equal(t, want.status, response.StatusCode, body)
	require.Equal(t, want.retryAfter, response.Header.Get("Retry-After"))
	require.Empty(t, response.Header.Get("ETag"))
	require.Empty(t, response.Header.Get("Content-Disposition"))
	if response.Request.Method == http.MethodHead {
		require.Empty(t, body)
		return
	}
	require.NotContains(t, body, marker)
	require.NotContains(t, body, "internals")
	var e struct{ Details struct{ Code apperr.Code } }
	require.NoError(t, json.Unmarshal([]byte(body), &e), body)
	require.Equal(t, want.code, e.Details.Code)
}

func (s scenario) start(t *testing.T) *mocked {
	m := newMocked(t)
	if s.with != nil {
		s.with(m)
	}
	return m
}
