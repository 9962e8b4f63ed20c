package publicapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/publicapi"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/limit"
	"dg/platform/testkit"
)

type knownError struct {
	status  int
	code    string
	pattern *regexp.Regexp
}

var knownErrors = sync.OnceValue(func() map[string]knownError {
	source, err := os.ReadFile("errors.yaml")
	var table []struct {
		Status   int
		Code     string
		Messages map[string]struct{ When, Text string }
	}
	if err := cmp.Or(err, yaml.Unmarshal(source, &table)); err != nil {
		panic(err)
	}
	known := map[string]knownError{}
	placeholder := regexp.MustCompile(`\\\{.*?\\\}`)
	for _, e := range table {
		for name, m := range e.Messages {
			text := placeholder.ReplaceAllString(regexp.QuoteMeta(m.Text), ".+")
			known[name] = knownError{e.Status, e.Code, regexp.MustCompile("^" + text + "$")}
		}
	}
	return known
})

// errorNames returns the names of the messages in errors.yaml that the response matches.
func errorNames(page testkit.Page) (names []string) {
	var body struct {
		Code, Message string
		Details       struct{ Code string }
	}
	decoder := json.NewDecoder(strings.NewReader(page.Body))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&body) != nil {
		return nil
	}
	for name, e := range knownErrors() {
		if e.status == page.StatusCode && e.code == body.Details.Code && e.pattern.MatchString(body.Message) {
			names = append(names, name)
		}
	}
	return names
}

func checkError(t *testing.T, page testkit.Page) {
	assert.Equal(t, "application/json; charset=utf-8", page.Header.Get("Content-Type"))
	assert.NotEmpty(t, errorNames(page), "errors.yaml has no such answer: %d %s", page.StatusCode, page.Body)
}

// provocations maps the name of a message in errors.yaml to a change of a valid request, which provokes that message.
var provocations = map[string]func(a *attempt){
	"PeriodMissing":     setQuery(""),
	"DayMissing":        setQuery("from=2026-03-01"),
	"NotADay":           func(a *attempt) { a.query = strings.Replace(a.query, "from=2024", "from=1999", 1) },
	"PeriodReversed":    setQuery("from=2026-03-31&to=2026-03-01"),
	"PeriodTooLong":     setQuery("from=2024-03-31&to=2026-03-01"),
	"ParameterUnknown":  func(a *attempt) { a.query += "&group=x" },
	"ParameterRepeated": setQuery("from=2026-03-01&from=2026-03-01"),
	"DayEmpty":          setQuery("from="),
	"GroupEmpty":        setQuery("groupId="),

	"BodySent":         setRawRequest("GET", "Content-Length: 1\r\n\r\nx"),
	"LineEnding":       setRawRequest("GET", "X: y\nZ: y\r\n\r\n"),
	"BodyInChunks":     setRawRequest("POST", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	"RequestMalformed": setRawRequest("GET", "no colon\r\n\r\n"),
	"RequestTooSlow":   setRawRequest("GET", ""),
	"BodyTooLarge":     setRawRequest("POST", "Content-Length: 99999999\r\n\r\n"),
	"HeadersTooLarge":  setRawRequest("GET", "X: "+strings.Repeat("x", 20_000)+"\r\n\r\n"),
	"HeaderRepeated":   setRawRequest("GET", "Authorization: x\r\n\r\n"),

	"Fragment":      setTarget("GET", "/api/v1/forks#x"),
	"UrlTooLong":    setTarget("GET", "/api/v1/forks?"+strings.Repeat("x", 5000)),
	"MethodUnknown": setTarget("BREW", "/api/v1/forks"),

	"OutsideApi":       func(a *attempt) { a.prefix = "/API/v1/" },
	"PathUnknown":      func(a *attempt) { a.tail = "/statistics" },
	"MethodNotAllowed": func(a *attempt) { a.method = http.MethodPost },
	"ForkUnknown":      func(a *attempt) { a.fork = unknownID },
	"GroupUnknown":     func(a *attempt) { a.query += "&groupId=" + unknownID },

	"KeyMissing":    func(a *attempt) { a.authorization = "" },
	"KeyIncomplete": func(a *attempt) { a.authorization = a.authorization[:len(a.authorization)-1] },
	"KeyMalformed":  func(a *attempt) { a.authorization = a.authorization[:len(a.authorization)-1] + "-" },
	"KeyInvalid":    func(a *attempt) { a.authorization = "Bearer " + tokenWithWrongSecret(a.key) },
	"KeyRevoked":    executeSQL(`update api_keys set revoked_at = '2026-02-03T09:30:59Z' where id = $1`),
	"KeyExpired":    executeSQL(`update api_keys set expires_at = '2026-02-03T09:30:59Z' where id = $1`),
	"PlanBelowPro": executeSQL(
		`update organisations set plan = 'team' where id = (select org_id from api_keys where id = $1)`),
	"ScopeMissing":      executeSQL(`update api_keys set scopes = '{forks:read}' where id = $1`),
	"TooManyRequests":   executeSQL(fillWindowSQL),
	"OtherOrganisation": func(a *attempt) { a.fork = a.foreign.forks[0] },
	"TooManyRejections": func(a *attempt) {
		a.w.Exec(strings.Replace(fillWindowSQL, "false", "true", 1), a.key.ID)
		a.authorization = "Bearer " + tokenWithWrongSecret(a.key)
	},

	"HttpVersion":  setRawExport("HTTP/1.0"),                                           // exports need HTTP/1.1
	"RangeRefused": setRawExport("HTTP/1.1\r\nConnection: close\r\nRange: bytes=100-"), // as wget resumes a download
	"AuditUnavailable": func(a *attempt) {
		a.w.Exec(revokeEntriesSQL)
		a.authorization = "Bearer " + tokenWithWrongSecret(a.key)
	},
	"ExportNotRecorded": func(a *attempt) { a.w.Exec(revokeEntriesSQL); a.tail = "/exports/csv" },
	"Internal":          func(a *attempt) { a.w.Exec(`revoke select on forks from dg_app`) },
	"Unavailable": func(a *attempt) {
		a.w.Exec(`create function full_disk() returns trigger language plpgsql as
			$$ begin raise exception 'full' using errcode = '53100'; end $$`)
		a.w.Exec(`create trigger full_disk before update on api_key_windows for each row execute function full_disk()`)
	},
}

const (
	unknownID        = "00000000-0000-4000-8000-000000000000"
	revokeEntriesSQL = `revoke insert on audit_entries from dg_app`
	// fillWindowSQL uses up the rate limit of a key
	fillWindowSQL = `insert into api_key_windows (key_id, refused, instants)
		values ($1, false, array_fill(clock_timestamp(), array[120]))
		on conflict (key_id, refused) do update set instants = excluded.instants`
)

func setQuery(text string) func(*attempt) { return func(a *attempt) { a.query = text } }

func executeSQL(sql string) func(*attempt) { return func(a *attempt) { a.w.Exec(sql, a.key.ID) } }

func setTarget(method, path string) func(*attempt) {
	return func(a *attempt) { a.rawRequest = requestText(method, path, "Authorization: "+a.authorization) }
}

func setRawExport(versionAndHeaders string) func(*attempt) {
	return func(a *attempt) {
		a.rawRequest = "GET " + a.prefix + "forks/" + a.fork + "/exports/csv?" + a.query + " " + versionAndHeaders +
			"\r\nHost: x\r\nAuthorization: " + a.authorization + "\r\n\r\n"
	}
}

// setRawRequest replaces the request by one that a client library would not send.
func setRawRequest(method, headersAndBody string) func(*attempt) {
	return func(a *attempt) {
		a.rawRequest = method + " /api/v1/forks HTTP/1.1\r\nHost: x\r\n" +
			"Authorization: " + a.authorization + "\r\n" + headersAndBody
	}
}

var testsOfOtherMessages = map[string]string{
	"KeyStopped":                   "TestExportOfRevokedKeyIsRefused",
	"TooManyConnections":           "TestRefusedConnectionGetsTheErrorBody",
	"TooManyReports":               "TestRefusalOfEachLimiterIsDocumented",
	"TooManyLargeAnswers":          "TestRefusalOfEachLimiterIsDocumented",
	"TooManyRequestsAtOnce":        "TestRefusalOfEachLimiterIsDocumented",
	"TooManyExportsOfOrganisation": "TestRefusedExportNamesTheLimit",
	"TooManyExportsOfInstance":     "TestRefusedExportNamesTheLimit",
}

// rules.md, Order of checks and Audit log: a request that fails one check gets its message and its entry.
func TestEachDocumentedErrorIsReturned(t *testing.T) {
	tested := slices.AppendSeq(slices.Collect(maps.Keys(provocations)), maps.Keys(testsOfOtherMessages))
	require.ElementsMatch(t, slices.Collect(maps.Keys(knownErrors())), tested, "each message is provoked")
	shared := start(t)
	valid := newAttempt(t, shared)
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER    "} {
		valid.authorization = scheme + valid.key.Token()
		valid.send().Is(t, http.StatusOK)
	}
	for name, provoke := range provocations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := shared
			// these errors need a change of the whole database
			if slices.Contains([]string{"AuditUnavailable", "ExportNotRecorded", "Internal", "Unavailable"}, name) {
				w = startWithoutParallel(t)
			}
			a := newAttempt(t, w)
			provoke(a)
			if name == "TooManyRejections" { // this refusal is counted, without an audit entry
				require.Contains(t, errorNames(a.send()), name)
			} else {
				a.requireAnswer(name)
			}
		})
	}
}

// errors.yaml has the message of each limiter of the API, for an organisation's share and for all slots.
func TestRefusalOfEachLimiterIsDocumented(t *testing.T) {
	messages := slices.Collect(maps.Values(knownErrors()))
	for _, limiters := range []map[string]*limit.Limiter{publicapi.New(publicapi.Dependencies{}, "").Limiters(),
		limit.NewRequests(12).Limiters(), reports.New(nil, reports.Options{}).Limiters(),
		exports.New(nil, nil, nil, nil, nil).Limiters()} {
		for name, limiter := range limiters {
			for _, keys := range []int{1, 100} {
				synctest.Test(t, func(t *testing.T) {
					var err error
					for i := 0; err == nil; i++ {
						_, err = limiter.Acquire(t.Context(), fmt.Sprint(keys, i%keys))
					}
					require.True(t, slices.ContainsFunc(messages, func(e knownError) bool {
						return e.status == 503 && e.pattern.MatchString(apperr.From(err).Message)
					}), "%s: %v", name, err)
				})
			}
		}
	}
}

type checkCase struct {
	number  string       // number in rules.md, Order of checks
	message string       // name in errors.yaml and in provocations
	reason  audit.Reason // reason in the single audit entry; "": no entry
}

// attempt is a request for a fork's statistics. It is valid until a provocation changes it.
type attempt struct {
	t               *testing.T
	w               *world
	own, foreign    *organisation
	key             testkit.Key
	expectedEntries map[string][]string // expected audit entries of each sendExpecting, by request id
	rawRequest      string              // unless empty, replaces the whole request

	authorization, method, prefix, fork, tail, query string
}

var checkCases = []checkCase{
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

func tokenWithWrongSecret(key testkit.Key) string {
	key.Secret = strings.Repeat("a", len(key.Secret))
	return key.Token()
}

func newAttempt(t *testing.T, w *world) *attempt {
	a := &attempt{
		t: t, w: w, own: w.newOrganisation("pseudonymous", 1, 6, 5),
		foreign: w.newOrganisation("pseudonymous", 1, 6, 5),
		method:  http.MethodGet, prefix: "/api/v1/", tail: "/stats", query: "from=2024-05-01&to=2024-05-31",
		expectedEntries: map[string][]string{},
	}
	a.fork = a.own.forks[0]
	a.key = w.AddKey(a.own.id, "reports:read")
	a.authorization = "Bearer " + a.key.Token()
	return a
}

func (a *attempt) send() testkit.Page {
	if a.rawRequest != "" {
		return a.w.sendRaw(a.t, a.rawRequest)
	}
	return a.w.send(a.t, a.method, a.prefix+"forks/"+a.fork+a.tail+"?"+a.query, a.authorization)
}

// requireAnswer sends the attempt and requires the answer and the audit entry of a message.
func (a *attempt) requireAnswer(message string) {
	t := a.t
	page := a.send()
	require.Contains(t, errorNames(page), message, "%d %s", page.StatusCode, page.Body)
	require.Equal(t, "</docs/errors#"+knownErrors()[message].code+`>; rel="help"`, page.Header.Get("Link"))
	challenge := map[string]string{
		"KeyMissing":   "Bearer",
		"ScopeMissing": `Bearer error="insufficient_scope", scope="reports:read"`,
	}[message]
	if challenge == "" && page.StatusCode == http.StatusUnauthorized {
		challenge = `Bearer error="invalid_token"`
	}
	require.Equal(t, challenge, page.Header.Get("WWW-Authenticate"))
	if message == "KeyRevoked" || message == "KeyExpired" {
		require.Contains(t, page.Body, " on 2026-02-03 at 09:30 UTC. ")
	}
	if page.StatusCode == http.StatusTooManyRequests {
		require.Regexp(t, `^([1-9]|[1-5]\d|60)$`, page.Header.Get("Retry-After"))
	}
	entries := a.w.entries(t, a.own.id)
	require.Empty(t, a.w.entries(t, a.foreign.id), "the log of the other organisation")
	i := slices.IndexFunc(checkCases, func(c checkCase) bool { return c.message == message })
	if i < 0 || checkCases[i].reason == "" {
		require.Empty(t, entries)
		return
	}
	require.Len(t, entries, 1)
	e := entries[0]
	require.Equal(t, audit.KeyRefused, e.Action)
	require.Equal(t, checkCases[i].reason, e.Reason)
	require.Equal(t, audit.Actor{Kind: audit.Key, ID: a.key.ID, Name: "Warehouse"}, e.Actor)
	require.Equal(t, page.Header.Get("X-Request-Id"), e.Request.ID)
	require.Equal(t, "127.0.0.1", e.Request.Address)
	if a.rawRequest == "" {
		require.Equal(t, a.method, e.Request.Method)
		require.Equal(t, a.prefix+"forks/"+a.fork+a.tail, e.Request.Path)
	}
	require.NotContains(t, fmt.Sprint(e), a.key.Secret)
}

// rules.md, Order of checks: if two checks fail, the response is that of the earlier check.
func TestEarlierFailingCheckDecides(t *testing.T) {
	w := start(t)
	for i, first := range checkCases {
		for _, second := range checkCases[i+1:] {
			number := first.number[0]
			if number == second.number[0] && slices.Contains([]byte("157"), number) {
				continue // both change the same part of the request
			}
			t.Run(first.number+" before "+second.number, func(t *testing.T) {
				a := newAttempt(t, w)
				provocations[second.message](a)
				provocations[first.message](a)
				a.requireAnswer(first.message)
			})
		}
	}
}

type accessCase struct {
	target string
	scope  apikeys.Scope
	status int
	reason audit.Reason // reason in the organisation's log; "": no entry
}

// accessCases combines endpoints, forks, groups and scopes. Ids are case-insensitive.
func accessCases(t *testing.T, own, foreign *organisation) (cases []accessCase) {
	otherScopes := map[apikeys.Scope]apikeys.Scope{
		apikeys.ForksRead: apikeys.ReportsRead, apikeys.ReportsRead: apikeys.ForksRead,
	}
	for path, scope := range documentedScopes(t, "?from=2024-05-01&to=2024-05-31") {
		withFork := func(fork string) string { return strings.Replace(path, "{forkId}", fork, 1) }
		target := withFork(strings.ToUpper(own.forks[0]))
		cases = append(cases, accessCase{target, scope, 200, ""},
			accessCase{target, otherScopes[scope], 403, audit.InsufficientScope})
		if target != path {
			cases = append(cases,
				accessCase{withFork(strings.ToUpper(foreign.forks[0])), scope, 403, audit.OtherOrganisation},
				accessCase{withFork(unknownID), scope, 404, ""},
				accessCase{withFork(own.forks[0] + "%00"), scope, 404, ""})
		}
		if strings.Contains(path, "?") {
			target += "&groupId="
			cases = append(cases,
				accessCase{target + strings.ToUpper(own.groups[0].id), scope, 200, ""},
				accessCase{target + own.groups[1].id, scope, 200, ""},
				accessCase{target + strings.ToUpper(foreign.groups[0].id), scope, 404, audit.OtherOrganisation},
				accessCase{target + unknownID, scope, 404, ""},
				accessCase{target + own.groups[0].id + "%00", scope, 404, ""})
		}
	}
	return cases
}

// Two organisations send requests concurrently. No response has data of the other organisation.
func TestOrganisationsGetOnlyTheirOwnData(t *testing.T) {
	w := start(t)
	var organisations []*organisation
	for _, mode := range []string{"pseudonymous", "nominative"} {
		org := w.newOrganisation(mode, 1, 6, 5, 4) // a group of five is shown, one of four is not
		organisations = append(organisations, org)
		for player := range org.players {
			org.addPlay(player, parseDay("2024-05-05"))
		}
	}
	for n, own := range organisations {
		t.Run(fmt.Sprint("organisation ", n), func(t *testing.T) {
			t.Parallel()
			w.requireAccess(t, own, organisations[1-n])
		})
	}
}

func (w *world) requireAccess(t *testing.T, own, foreign *organisation) {
	refused := map[string]audit.Reason{}
	for i, c := range accessCases(t, own, foreign) {
		id := fmt.Sprintf("%s-%d", own.id, i)
		key := w.AddKey(own.id, string(c.scope))
		page := w.get(t, c.target, key, "X-Request-Id", id).Is(t, c.status)
		require.NotContains(t, page.Header.Get("WWW-Authenticate"), c.scope, "it names the scope that the key lacks")
		require.Equal(t, c.status == http.StatusOK && strings.HasSuffix(c.target, "&groupId="+own.groups[1].id),
			c.status == http.StatusOK && strings.Contains(page.Body, `"suppressed":true`) ||
				page.Header.Get("X-DG-Report-Suppressed") != "", c.target)
		for _, foreignID := range []string{foreign.id, foreign.forks[0], foreign.groups[0].id} {
			require.NotContains(t, page.Body+fmt.Sprint(page.Header), foreignID, "%+v", c)
		}
		if c.reason != "" {
			refused[id] = c.reason
		}
	}
	recorded := map[string]audit.Reason{}
	for _, e := range w.entries(t, own.id) {
		if e.Action == audit.KeyRefused {
			recorded[e.Request.ID] = e.Reason
		}
		targets := map[audit.Reason][]audit.Target{audit.InsufficientScope: {{}}, audit.OtherOrganisation: {
			{Kind: "fork", ID: foreign.forks[0]}, {Kind: "group", ID: foreign.groups[0].id}}}
		if expected, ok := targets[e.Reason]; ok {
			require.Contains(t, expected, e.Target)
		}
	}
	require.Equal(t, refused, recorded)
}
