package publicapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/testkit"
)

type step struct {
	check   string       // its number
	message string       // of errors.yaml; provoked gets it
	reason  audit.Reason // of the one audit entry; "": none
}

// attempt is a request of the statistics of a fork. It is valid until a step changes it.
type attempt struct {
	t             *testing.T
	w             *world
	mine, foreign *history
	key           testkit.Key
	authorization string
	method        string
	prefix        string
	fork          string
	tail          string
	query         string
	raw           string              // the whole request instead, unless empty
	expects       map[string][]string // the audit entries of each request of ask, by its id
}

var steps = []step{
	{"1", "OutsideApi", audit.OutsideAPI},
	{"2", "KeyInvalid", audit.WrongSecret},
	{"3a", "KeyRevoked", audit.Revoked},
	{"3b", "KeyExpired", audit.Expired},
	{"3c", "PlanBelowPro", audit.BelowPlan},
	{"4", "TooManyRequests", ""},
	{"5a", "PathUnknown", ""},
	{"5b", "MethodNotAllowed", ""},
	{"6", "ScopeMissing", audit.InsufficientScope},
	{"7a", "ForkUnknown", ""},
	{"7b", "OtherOrganisation", audit.OtherOrganisation},
	{"8a", "ParameterUnknown", ""},
	{"8b", "NotADay", ""},
	{"9", "GroupUnknown", ""},
}

// wrongSecret is a well-formed token with another secret.
func wrongSecret(key testkit.Key) string {
	key.Secret = strings.Repeat("a", len(key.Secret))
	return key.Token()
}

func newAttempt(t *testing.T, w *world) *attempt {
	a := &attempt{
		t: t, w: w,
		mine:    w.newHistory("pseudonymous", 1, 6, 5),
		foreign: w.newHistory("pseudonymous", 1, 6, 5),
		method:  http.MethodGet, prefix: "/api/v1/", tail: "/stats",
		query: "from=2024-05-01&to=2024-05-31", expects: map[string][]string{},
	}
	a.fork = a.mine.forks[0]
	a.key = w.Key(a.mine.id, "reports:read")
	a.authorization = "Bearer " + a.key.Token()
	return a
}

func (a *attempt) send() testkit.Page {
	if a.raw != "" {
		return a.w.wire(a.t, a.raw)
	}
	return a.w.send(a.t, a.method, a.prefix+"forks/"+a.fork+a.tail+"?"+a.query, a.authorization)
}

// requireAnswer sends the attempt and requires the answer and the audit entry of a message.
func (a *attempt) requireAnswer(message string) {
	t := a.t
	got := a.send()
	require.Contains(t, errorNames(got), message, "%d %s", got.StatusCode, got.Body)
	require.Equal(t, "</docs/errors#"+knownErrors()[message].code+`>; rel="help"`,
		got.Header.Get("Link"))
	challenge := map[string]string{
		"KeyMissing":   "Bearer",
		"ScopeMissing": `Bearer error="insufficient_scope", scope="reports:read"`,
	}[message]
	if challenge == "" && got.StatusCode == http.StatusUnauthorized {
		challenge = `Bearer error="invalid_token"`
	}
	require.Equal(t, challenge, got.Header.Get("WWW-Authenticate"))
	if got.StatusCode == http.StatusTooManyRequests {
		require.Regexp(t, `^([1-9]|[1-5]\d|60)$`, got.Header.Get("Retry-After"))
	}
	entries := a.w.entries(t, a.mine.id)
	require.Empty(t, a.w.entries(t, a.foreign.id), "the log of the other organisation")
	i := slices.IndexFunc(steps, func(s step) bool { return s.message == message })
	if i < 0 || steps[i].reason == "" {
		require.Empty(t, entries)
		return
	}
	require.Len(t, entries, 1)
	e := entries[0]
	require.Equal(t, audit.KeyRefused, e.Action)
	require.Equal(t, steps[i].reason, e.Reason)
	require.Equal(t, audit.Actor{Kind: audit.Key, ID: a.key.ID, Name: "Warehouse"}, e.Actor)
	require.Equal(t, got.Header.Get("X-Request-Id"), e.Request.ID)
	require.Equal(t, "127.0.0.1", e.Request.Address)
	if a.raw == "" {
		require.Equal(t, a.method, e.Request.Method)
		require.Equal(t, a.prefix+"forks/"+a.fork+a.tail, e.Request.Path)
	}
	require.NotContains(t, fmt.Sprint(e), a.key.Secret)
}

// rules.md, Order of checks: of each pair of failing checks the earlier one answers.
func TestEarlierCheckWins(t *testing.T) {
	t.Parallel()
	w := start(t)
	for i, first := range steps {
		for _, second := range steps[i+1:] {
			part := first.check[0]
			if part == second.check[0] && slices.Contains([]byte("157"), part) {
				continue // both set one part of the request
			}
			t.Run(first.check+" before "+second.check, func(t *testing.T) {
				a := newAttempt(t, w)
				provoked[second.message](a)
				provoked[first.message](a)
				a.requireAnswer(first.message)
			})
		}
	}
}
