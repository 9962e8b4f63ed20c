package publicapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
)

// rules.md, Order of checks: how to make each check refuse, and the answer.
type step struct {
	name    string
	arrange func(*attempt)
	status  int
	code    string       // details.code
	reason  audit.Reason // of the one audit entry; "": none
	www     string       // WWW-Authenticate
}

// attempt is a valid request of the statistics of a fork, until steps make it invalid.
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
}

const invalidToken = `Bearer error="invalid_token"`

const insufficientScope = `Bearer error="insufficient_scope", scope="reports:read"`

// inOrder are the steps of the table, in its order.
var inOrder = []step{
	{
		"1 a key outside /api/v1/", func(a *attempt) {
			a.prefix = "/api/v1x/"
		}, 403, "ERR_ACCESS_DENIED", audit.OutsideAPI, "",
	},
	{
		"2 wrong secret", func(a *attempt) {
			a.authorization = "Bearer " + wrongSecret(a.token)
		}, 401, "ERR_AUTH_REQUIRED", audit.WrongSecret, invalidToken,
	},
	{"3a revoked", func(a *attempt) {
		a.exec(`update api_keys set revoked_at = date_trunc('milliseconds', now()) where id = $1`)
	}, 401, "ERR_AUTH_REQUIRED", audit.Revoked, invalidToken},
	{"3b expired", func(a *attempt) {
		a.exec(
			`update api_keys set expires_at = date_trunc('milliseconds', clock_timestamp()) where id = $1`,
		)
	}, 401, "ERR_AUTH_REQUIRED", audit.Expired, invalidToken},
	{"3c plan below Pro", func(a *attempt) {
		a.exec(
			`update organisations set plan = 'team' where id = (select org_id from api_keys where id = $1)`,
		)
	}, 401, "ERR_AUTH_REQUIRED", audit.BelowPlan, invalidToken},
	{"4 rate", func(a *attempt) {
		a.exec(
			`update api_key_windows set instants = array_fill(clock_timestamp(), array[120])
				where key_id = $1 and not refused`,
		)
	}, 429, "ERR_RATE_LIMITED", "", ""},
	{"5a unknown path", func(a *attempt) { a.tail = "/statistics" }, 404, "ERR_NOT_FOUND", "", ""},
	{
		"5b another method", func(a *attempt) {
			a.method = http.MethodPost
		}, 405, "ERR_METHOD_NOT_ALLOWED", "", "",
	},
	{
		"6 scope", func(a *attempt) {
			a.exec(`update api_keys set scopes = '{forks:read}' where id = $1`)
		}, 403, "ERR_ACCESS_DENIED", audit.InsufficientScope, insufficientScope,
	},
	{
		"7a unknown fork", func(a *attempt) {
			a.fork = "00000000-0000-4000-8000-000000000000"
		}, 404, "ERR_NOT_FOUND", "", "",
	},
	{
		"7b fork of another organisation", func(a *attempt) {
			a.fork = a.foreign.forks[0]
		}, 403, "ERR_ACCESS_DENIED", audit.OtherOrganisation, "",
	},
	{
		"8 period", func(a *attempt) {
			a.query = strings.Replace(a.query, "from=2024", "from=1999", 1)
		}, 400, "ERR_VALIDATION", "", "",
	},
	{
		"8 unknown parameter", func(a *attempt) {
			a.query += "&group=" + a.mine.groups[0].id
		}, 400, "ERR_VALIDATION", "", "",
	},
	{
		"9a unknown group", func(a *attempt) {
			a.query += "&groupId=00000000-0000-4000-8000-000000000000"
		}, 404, "ERR_NOT_FOUND", "", "",
	},
	{
		"9b group of another organisation", func(a *attempt) {
			a.query += "&groupId=" + a.foreign.groups[0].id
		}, 404, "ERR_NOT_FOUND", audit.OtherOrganisation, "",
	},
}

func (a *attempt) exec(sql string) { a.w.exec(a.t, sql, a.token.ID) }

// wrongSecret is a well-formed token with another secret.
func wrongSecret(token apikeys.Token) string {
	last := "a"
	if strings.HasSuffix(token.Secret, "a") {
		last = "b"
	}
	return strings.TrimSuffix(token.String(), token.Secret[len(token.Secret)-1:]) + last
}

// newAttempt makes two organisations and a key that may read reports.
func newAttempt(t *testing.T, w *world, random *rand.Rand) *attempt {
	t.Helper()
	return newAttempts(t, w, random, 1)[0]
}

// newAttempts makes n attempts with two organisations each, in one import.
func newAttempts(t *testing.T, w *world, random *rand.Rand, n int) (all []*attempt) {
	t.Helper()
	var histories []*history
	for range n {
		histories = append(histories, newHistory(random, 1, 6, 5), newHistory(random, 1, 6, 5))
	}
	w.load(t, histories...)
	for i := range n {
		mine := histories[2*i]
		token := w.key(t, mine.id, apikeys.ReportsRead)
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
	return a.w.send(a.t, a.method, a.prefix+"forks/"+a.fork+a.tail+"?"+a.query, a.authorization)
}

// requireAnswer requires the answer and the audit entry of a step.
func (s step) requireAnswer(t *testing.T, a *attempt, got answer) {
	t.Helper()
	require.Equal(t, s.status, got.StatusCode, got.body)
	var body struct {
		Code, Message string
		Details       struct{ Code string }
	}
	require.NoError(t, json.Unmarshal([]byte(got.body), &body))
	require.Equal(t, s.code, body.Details.Code)
	require.Equal(t, s.www, got.Header.Get("WWW-Authenticate"))
	if s.status == http.StatusTooManyRequests {
		require.Regexp(t, `^([1-9]|[1-5]\d|60)$`, got.Header.Get("Retry-After"))
	}
	if s.status == http.StatusMethodNotAllowed {
		require.Equal(t, "GET, HEAD", got.Header.Get("Allow"))
	}
	entries := a.w.entries(t, a.mine.id)
	require.Empty(t, a.w.entries(t, a.foreign.id), "the other organisation's log")
	if s.reason == "" {
		require.Empty(t, entries)
		return
	}
	require.Len(t, entries, 1)
	e := entries[0]
	require.Equal(t, audit.KeyRefused, e.Action)
	require.Equal(t, s.reason, e.Reason)
	require.Equal(t, audit.Actor{Kind: audit.Key, ID: a.token.ID, Name: "BI"}, e.Actor)
	if s.reason == audit.OtherOrganisation {
		require.Equal(t, map[byte]audit.Target{
			'7': {Kind: "fork", ID: a.foreign.forks[0]},
			'9': {Kind: "group", ID: a.foreign.groups[0].id},
		}[s.name[0]], e.Target)
	}
	require.Equal(t, got.Header.Get("X-Request-Id"), e.Request.ID)
	require.Equal(t, a.method, e.Request.Method)
	require.Equal(t, a.prefix+"forks/"+a.fork+a.tail, e.Request.Path)
	require.Equal(t, "127.0.0.1", e.Request.Address)
	require.NotContains(t, fmt.Sprint(e), a.token.Secret)
}

// Each check refuses on its own.
func TestEachCheckRefuses(t *testing.T) {
	t.Parallel()
	w := start(t)
	random := rand.New(rand.NewPCG(4, 4))
	valid := newAttempt(t, w, random)
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER    "} {
		require.Equal(t, http.StatusOK, valid.sendAs(scheme+valid.token.String()).StatusCode)
	}
	for _, s := range inOrder {
		t.Run(s.name, func(t *testing.T) {
			a := newAttempt(t, w, random)
			a.t = t
			s.arrange(a)
			s.requireAnswer(t, a, a.send())
		})
	}
}

// Of each pair of checks, not only neighbours, the earlier one answers. Pairs that need different
// values of the same thing are left out.
func TestEarlierCheckWins(t *testing.T) {
	t.Parallel()
	var pairs [][2]step
	for i, first := range inOrder {
		for _, second := range inOrder[i+1:] {
			if !exclusive(first.name, second.name) {
				pairs = append(pairs, [2]step{first, second})
			}
		}
	}
	require.Greater(t, len(pairs), 80)
	attempts := newAttempts(t, start(t), rand.New(rand.NewPCG(5, 5)), len(pairs))
	for i, pair := range pairs {
		t.Run(pair[0].name+" before "+pair[1].name, func(t *testing.T) {
			a := attempts[i]
			a.t = t
			pair[1].arrange(a)
			pair[0].arrange(a)
			pair[0].requireAnswer(t, a, a.send())
		})
	}
}

// exclusive reports whether two steps change the same thing: the path and its method, the fork, the
// group.
func exclusive(a, b string) bool {
	return a[0] == b[0] && (a[0] == '5' || a[0] == '7' || a[0] == '9')
}

// Step 9: the answer to a group of another organisation does not differ from that to an unknown
// one.
func TestForeignGroupIsAnsweredLikeAnUnknownOne(t *testing.T) {
	t.Parallel()
	a := newAttempt(t, start(t), rand.New(rand.NewPCG(10, 10)))
	unknown := a.sendQuery(a.query + "&groupId=00000000-0000-4000-8000-000000000000")
	foreign := a.sendQuery(
		strings.Replace(a.query, "00000000-0000-4000-8000-000000000000", a.foreign.groups[0].id, 1),
	)
	require.Equal(t, http.StatusNotFound, foreign.StatusCode)
	require.Equal(t, unknown.body, foreign.body)
}

// rules.md, Keys: a secret is never logged, not even when somebody pasted it into the path or the
// user agent.
func TestSecretInThePathIsNotRecorded(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := newAttempt(t, w, rand.New(rand.NewPCG(8, 8)))
	got := w.send(t, http.MethodGet, "/healthz/"+a.token.String(), a.authorization, "User-Agent",
		"tool "+a.token.String())
	require.Equal(t, http.StatusForbidden, got.StatusCode)
	entries := w.entries(t, a.mine.id)
	require.Len(t, entries, 1)
	require.Equal(t, "/healthz/dg_live_"+a.token.ID+"_…", entries[0].Request.Path)
	require.Equal(t, "tool dg_live_"+a.token.ID+"_…", entries[0].Request.UserAgent)
}
