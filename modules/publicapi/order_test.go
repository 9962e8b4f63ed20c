package publicapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
)

// step is a check of rules.md, Order of checks.
type step struct {
	check   string         // its number
	message string         // of errors.yaml, which has the status and details.code
	reason  audit.Reason   // of the one audit entry; "": none
	arrange func(*attempt) // nil: provoked[message]
}

// attempt is a request of the statistics of a fork. It is valid until a step changes it.
type attempt struct {
	t             *testing.T
	w             *world
	mine, foreign *history
	token         apikeys.Token
	authorization string
	method        string
	prefix        string
	fork          string
	tail          string
	query         string
	raw           string // the whole request instead, unless empty
}

var steps = []step{
	{"1", "OutsideApi", audit.OutsideAPI, nil},
	{"2", "KeyInvalid", audit.WrongSecret, nil},
	{"3a", "KeyRevoked", audit.Revoked, nil},
	{"3b", "KeyExpired", audit.Expired, nil},
	{"3c", "PlanBelowPro", audit.BelowPlan, nil},
	{"4", "TooManyRequests", "", nil},
	{"5a", "PathUnknown", "", nil},
	{"5b", "MethodNotAllowed", "", nil},
	{"6", "ScopeMissing", audit.InsufficientScope, nil},
	{"7a", "ForkUnknown", "", nil},
	{"7b", "OtherOrganisation", audit.OtherOrganisation, nil},
	{"8a", "ParameterUnknown", "", nil},
	{"8b", "DayOutOfRange", "", nil},
	{"9a", "GroupUnknown", "", nil},
	{"9b", "GroupUnknown", audit.OtherOrganisation, foreignGroup}, // answered like an unknown one
}

// stepOf returns the step that answers the message; one without an entry if no step does.
func stepOf(message string) step {
	i := slices.IndexFunc(steps, func(s step) bool { return s.message == message })
	if i < 0 {
		return step{message: message}
	}
	return steps[i]
}

func foreignGroup(a *attempt) { a.query += "&groupId=" + a.foreign.groups[0].id }

func (s step) prepare(a *attempt) {
	if s.arrange != nil {
		s.arrange(a)
	} else {
		provoked[s.message](a)
	}
}

func (a *attempt) exec(sql string) { a.w.Exec(sql, a.token.ID) }

// wrongSecret is a well-formed token with another secret.
func wrongSecret(token apikeys.Token) string {
	last := "a"
	if strings.HasSuffix(token.Secret, "a") {
		last = "b"
	}
	return strings.TrimSuffix(token.String(), token.Secret[len(token.Secret)-1:]) + last
}

// newAttempt makes two organisations and a key that may read reports.
func newAttempt(t *testing.T, w *world) *attempt {
	t.Helper()
	a := &attempt{
		t: t, w: w, mine: newHistory(1, 6, 5), foreign: newHistory(1, 6, 5),
		method: http.MethodGet, prefix: "/api/v1/", tail: "/stats",
		query: "from=2024-05-01&to=2024-05-31",
	}
	w.load(a.mine)
	w.load(a.foreign)
	a.fork = a.mine.forks[0]
	a.token = w.key(t, a.mine.id, "reports:read")
	a.authorization = "Bearer " + a.token.String()
	return a
}

func (a *attempt) send() answer {
	a.t.Helper()
	if a.raw != "" {
		return a.w.wire(a.t, a.raw)
	}
	return a.w.send(a.t, a.method, a.prefix+"forks/"+a.fork+a.tail+"?"+a.query, a.authorization)
}

// requireAnswer requires the answer and the audit entry of a step.
func (s step) requireAnswer(t *testing.T, a *attempt, got answer) {
	t.Helper()
	require.Contains(t, errorNames(got.StatusCode, []byte(got.body)), s.message, "%d %s",
		got.StatusCode, got.body)
	require.Equal(t, s.challenge(got.StatusCode), got.Header.Get("WWW-Authenticate"))
	if got.StatusCode == http.StatusTooManyRequests {
		require.Regexp(t, `^([1-9]|[1-5]\d|60)$`, got.Header.Get("Retry-After"))
	}
	entries := a.w.entries(t, a.mine.id)
	require.Empty(t, a.w.entries(t, a.foreign.id), "the log of the other organisation")
	if s.reason == "" {
		require.Empty(t, entries)
		return
	}
	require.Len(t, entries, 1)
	e := entries[0]
	require.Equal(t, audit.KeyRefused, e.Action)
	require.Equal(t, s.reason, e.Reason)
	require.Equal(t, audit.Actor{Kind: audit.Key, ID: a.token.ID, Name: "Warehouse"}, e.Actor)
	if s.reason == audit.OtherOrganisation {
		require.Equal(t, map[byte]audit.Target{
			'7': {Kind: "fork", ID: a.foreign.forks[0]},
			'9': {Kind: "group", ID: a.foreign.groups[0].id},
		}[s.check[0]], e.Target)
	}
	require.Equal(t, got.Header.Get("X-Request-Id"), e.Request.ID)
	require.Equal(t, "127.0.0.1", e.Request.Address)
	if a.raw == "" {
		require.Equal(t, a.method, e.Request.Method)
		require.Equal(t, a.prefix+"forks/"+a.fork+a.tail, e.Request.Path)
	}
	require.NotContains(t, fmt.Sprint(e), a.token.Secret)
}

// challenge returns the WWW-Authenticate of the answer.
func (s step) challenge(status int) string {
	switch {
	case s.message == "ScopeMissing":
		return `Bearer error="insufficient_scope", scope="reports:read"`
	case s.message == "KeyMissing":
		return "Bearer"
	case status == http.StatusUnauthorized:
		return `Bearer error="invalid_token"`
	}
	return ""
}

// Of each pair of failing checks the earlier one answers. Pairs that need two values of one part of
// the request are left out.
func TestEarlierCheckWins(t *testing.T) {
	t.Parallel()
	w := start(t)
	pairs := 0
	for i, first := range steps {
		for _, second := range steps[i+1:] {
			if exclusive(first.check, second.check) {
				continue
			}
			pairs++
			t.Run(first.check+" before "+second.check, func(t *testing.T) {
				a := newAttempt(t, w)
				second.prepare(a)
				first.prepare(a)
				first.requireAnswer(t, a, a.send())
			})
		}
	}
	require.Greater(t, pairs, 80)
}

// exclusive reports whether two steps set the same part of the request.
func exclusive(a, b string) bool {
	return a[0] == b[0] && slices.Contains([]byte("1579"), a[0])
}
