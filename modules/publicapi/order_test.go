package publicapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
)

// step is a check of rules.md, Order of checks, with its refusal.
type step struct {
	check     string         // its number
	message   string         // of errors.yaml, which has the status and details.code
	reason    audit.Reason   // of the one audit entry; "": none
	challenge string         // WWW-Authenticate
	arrange   func(*attempt) // nil: provoked[message]
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

const (
	invalidToken      = `Bearer error="invalid_token"`
	insufficientScope = `Bearer error="insufficient_scope", scope="reports:read"`
)

var steps = []step{
	{"1", "NearMiss", audit.OutsideAPI, "", nil},
	{"2", "KeyInvalid", audit.WrongSecret, invalidToken, nil},
	{"3a", "KeyRevoked", audit.Revoked, invalidToken, nil},
	{"3b", "KeyExpired", audit.Expired, invalidToken, nil},
	{"3c", "PlanBelowPro", audit.BelowPlan, invalidToken, nil},
	{"4", "TooManyRequests", "", "", nil},
	{"5a", "PathUnknown", "", "", nil},
	{"5b", "MethodNotAllowed", "", "", nil},
	{"6", "ScopeMissing", audit.InsufficientScope, insufficientScope, nil},
	{"7a", "ForkUnknown", "", "", nil},
	{"7b", "OtherOrganisation", audit.OtherOrganisation, "", nil},
	{"8a", "ParameterUnknown", "", "", nil},
	{"8b", "DayOutOfRange", "", "", nil},
	{"9a", "GroupUnknown", "", "", nil},
	{"9b", "GroupUnknown", audit.OtherOrganisation, "", foreignGroup},
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
	return newAttempts(t, w, 1)[0]
}

// newAttempts makes n attempts, each with two organisations, in one import.
func newAttempts(t *testing.T, w *world, n int) (all []*attempt) {
	t.Helper()
	var histories []*history
	for range n {
		histories = append(histories, newHistory(1, 6, 5), newHistory(1, 6, 5))
	}
	w.load(t, histories...)
	for i := range n {
		mine := histories[2*i]
		token := w.key(t, mine.id, "reports:read")
		all = append(all, &attempt{
			t: t, w: w, mine: mine, foreign: histories[2*i+1], token: token,
			authorization: "Bearer " + token.String(), method: http.MethodGet, prefix: "/api/v1/",
			fork: mine.forks[0], tail: "/stats", query: "from=2024-05-01&to=2024-05-31",
		})
	}
	return all
}

func (a *attempt) send() answer {
	a.t.Helper()
	if a.raw != "" {
		return a.w.wire(a.t).ask(a.raw)
	}
	return a.w.send(a.t, a.method, a.prefix+"forks/"+a.fork+a.tail+"?"+a.query, a.authorization)
}

// requireAnswer requires the answer and the audit entry of a step.
func (s step) requireAnswer(t *testing.T, a *attempt, got answer) {
	t.Helper()
	require.Contains(t, errorNames(got.StatusCode, []byte(got.body)), s.message, got.body)
	require.Equal(t, s.challenge, got.Header.Get("WWW-Authenticate"))
	if got.StatusCode == http.StatusTooManyRequests {
		require.Regexp(t, `^([1-9]|[1-5]\d|60)$`, got.Header.Get("Retry-After"))
	}
	if got.StatusCode == http.StatusMethodNotAllowed {
		require.Equal(t, "GET, HEAD", got.Header.Get("Allow"))
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
	require.Equal(t, a.method, e.Request.Method)
	require.Equal(t, a.prefix+"forks/"+a.fork+a.tail, e.Request.Path)
	require.Equal(t, "127.0.0.1", e.Request.Address)
	require.NotContains(t, fmt.Sprint(e), a.token.Secret)
}

// Each check refuses a request that passes all others. The group of another organisation (9b) gets
// the message of an unknown one (9a).
func TestEachCheckRefuses(t *testing.T) {
	t.Parallel()
	w := start(t)
	valid := newAttempt(t, w)
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER    "} {
		valid.authorization = scheme + valid.token.String()
		require.Equal(t, http.StatusOK, valid.send().StatusCode)
	}
	for _, s := range steps {
		t.Run(s.check+" "+s.message, func(t *testing.T) {
			a := newAttempt(t, w)
			s.prepare(a)
			s.requireAnswer(t, a, a.send())
		})
	}
}

// Of each pair of failing checks the earlier one answers. Pairs that need two values of one part of
// the request are left out.
func TestEarlierCheckWins(t *testing.T) {
	t.Parallel()
	var pairs [][2]step
	for i, first := range steps {
		for _, second := range steps[i+1:] {
			if !exclusive(first.check, second.check) {
				pairs = append(pairs, [2]step{first, second})
			}
		}
	}
	require.Greater(t, len(pairs), 80)
	attempts := newAttempts(t, start(t), len(pairs))
	for i, pair := range pairs {
		t.Run(pair[0].check+" before "+pair[1].check, func(t *testing.T) {
			a := attempts[i]
			a.t = t
			pair[1].prepare(a)
			pair[0].prepare(a)
			pair[0].requireAnswer(t, a, a.send())
		})
	}
}

// exclusive reports whether two steps set the same part of the request.
func exclusive(a, b string) bool {
	return a[0] == b[0] && (a[0] == '5' || a[0] == '7' || a[0] == '9')
}
