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

func (a *attempt) exec(sql string) { a.w.Exec(sql, a.key.ID) }

// wrongSecret is a well-formed token with another secret.
func wrongSecret(key testkit.Key) string {
	key.Secret = strings.Repeat("a", len(key.Secret))
	return key.Token()
}

// newAttempt makes two organisations and a key that may read reports.
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

// requireAnswer requires the answer and the audit entry of a step.
func (s step) requireAnswer(t *testing.T, a *attempt, got testkit.Page) {
	require.Contains(t, errorNames(got), s.message, "%d %s", got.StatusCode, got.Body)
	challenge := map[string]string{
		"KeyMissing":   "Bearer",
		"ScopeMissing": `Bearer error="insufficient_scope", scope="reports:read"`,
	}[s.message]
	if challenge == "" && got.StatusCode == http.StatusUnauthorized {
		challenge = `Bearer error="invalid_token"`
	}
	require.Equal(t, challenge, got.Header.Get("WWW-Authenticate"))
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
	require.Equal(t, audit.Actor{Kind: audit.Key, ID: a.key.ID, Name: "Warehouse"}, e.Actor)
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
	require.NotContains(t, fmt.Sprint(e), a.key.Secret)
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
