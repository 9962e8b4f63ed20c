package publicapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

type knownError struct {
	status int
	code   string
	text   *regexp.Regexp
}

var knownErrors = sync.OnceValue(func() map[string]knownError {
	source, err := os.ReadFile("errors.yaml")
	var table []struct {
		Status   int
		Code     string
		Messages map[string]struct{ When, Text string }
	}
	if err == nil {
		err = yaml.Unmarshal(source, &table)
	}
	if err != nil {
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

// errorNames returns the names of the messages in errors.yaml that the answer fits.
func errorNames(got testkit.Page) (names []string) {
	var body struct {
		Code, Message string
		Details       struct{ Code string }
	}
	known := json.NewDecoder(strings.NewReader(got.Body))
	known.DisallowUnknownFields()
	if known.Decode(&body) != nil {
		return nil
	}
	for name, e := range knownErrors() {
		if e.status == got.StatusCode && e.code == body.Details.Code &&
			e.text.MatchString(body.Message) {
			names = append(names, name)
		}
	}
	return names
}

func checkError(t *testing.T, got testkit.Page) {
	assert.Equal(t, "application/json; charset=utf-8", got.Header.Get("Content-Type"))
	assert.NotEmpty(t, errorNames(got), "errors.yaml has no such answer: %d %s", got.StatusCode,
		got.Body)
}

// provoked changes a valid request, for each message of errors.yaml, into one that gets it.
var provoked = map[string]func(a *attempt){
	"PeriodMissing":     query(""),
	"DayMissing":        query("from=2026-03-01"),
	"NotADay":           func(a *attempt) { a.query = strings.Replace(a.query, "from=2024", "from=1999", 1) },
	"PeriodReversed":    query("from=2026-03-31&to=2026-03-01"),
	"PeriodTooLong":     query("from=2024-03-31&to=2026-03-01"),
	"ParameterUnknown":  func(a *attempt) { a.query += "&group=x" },
	"ParameterRepeated": query("from=2026-03-01&from=2026-03-01"),
	"DayEmpty":          query("from="),
	"GroupEmpty":        query("groupId="),

	"BodySent":         raw("GET", "Content-Length: 1\r\n\r\nx"),
	"LineEnding":       raw("GET", "X: y\nZ: y\r\n\r\n"),
	"BodyInChunks":     raw("POST", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	"RequestMalformed": raw("GET", "no colon\r\n\r\n"),
	"RequestTooSlow":   raw("GET", ""),
	"BodyTooLarge":     raw("POST", "Content-Length: 99999999\r\n\r\n"),
	"HeadersTooLarge":  raw("GET", "X: "+strings.Repeat("x", 20_000)+"\r\n\r\n"),
	"HeaderRepeated":   raw("GET", "Authorization: x\r\n\r\n"),

	"Fragment":      target("GET", "/api/v1/forks#x"),
	"UrlTooLong":    target("GET", "/api/v1/forks?"+strings.Repeat("x", 5000)),
	"MethodUnknown": target("BREW", "/api/v1/forks"),

	"OutsideApi":       func(a *attempt) { a.prefix = "/API/v1/" },
	"PathUnknown":      func(a *attempt) { a.tail = "/statistics" },
	"MethodNotAllowed": func(a *attempt) { a.method = http.MethodPost },
	"ForkUnknown":      func(a *attempt) { a.fork = unknownID },
	"GroupUnknown":     func(a *attempt) { a.query += "&groupId=" + unknownID },

	"KeyMissing":    func(a *attempt) { a.authorization = "" },
	"KeyIncomplete": func(a *attempt) { a.authorization = a.authorization[:len(a.authorization)-1] },
	"KeyMalformed":  func(a *attempt) { a.authorization += "0" },
	"KeyInvalid":    func(a *attempt) { a.authorization = "Bearer " + wrongSecret(a.key) },
	"KeyRevoked": after(
		`update api_keys set revoked_at = date_trunc('milliseconds', now()) where id = $1`),
	"KeyExpired": after(
		`update api_keys set expires_at = date_trunc('milliseconds', clock_timestamp()) where id = $1`),
	"PlanBelowPro": after(
		`update organisations set plan = 'team' where id = (select org_id from api_keys where id = $1)`),
	"ScopeMissing":      after(`update api_keys set scopes = '{forks:read}' where id = $1`),
	"TooManyRequests":   after(fullWindow),
	"OtherOrganisation": func(a *attempt) { a.fork = a.foreign.forks[0] },
	"TooManyRejections": func(a *attempt) {
		a.w.Exec(strings.Replace(fullWindow, "false", "true", 1), a.key.ID)
		a.authorization = "Bearer " + wrongSecret(a.key)
	},

	"HttpVersion": func(a *attempt) { // exports need HTTP/1.1
		a.raw = "GET " + a.prefix + "forks/" + a.fork + "/exports/csv?" + a.query +
			" HTTP/1.0\r\nHost: x\r\nAuthorization: " + a.authorization + "\r\n\r\n"
	},
	"RangeRefused": func(a *attempt) { // as wget resumes
		a.raw = "GET " + a.prefix + "forks/" + a.fork + "/exports/csv?" + a.query +
			" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nRange: bytes=100-\r\nAuthorization: " +
			a.authorization + "\r\n\r\n"
	},
	"AuditUnavailable": func(a *attempt) {
		a.w.Exec(refuseEntries)
		a.authorization = "Bearer " + wrongSecret(a.key)
	},
	"ExportNotRecorded": func(a *attempt) {
		a.w.Exec(refuseEntries)
		a.tail = "/exports/csv"
	},
	"Internal": func(a *attempt) { a.w.Exec(`revoke select on forks from dg_app`) },
	"Unavailable": func(a *attempt) {
		a.w.Exec(`create function full_disk() returns trigger language plpgsql as
			$$ begin raise exception 'full' using errcode = '53100'; end $$`)
		a.w.Exec(`create trigger full_disk before update on api_key_windows for each row
			execute function full_disk()`)
	},
}

const (
	unknownID     = "00000000-0000-4000-8000-000000000000"
	refuseEntries = `revoke insert on audit_entries from dg_app`
	// fullWindow uses up the limit of a key
	fullWindow = `insert into api_key_windows (key_id, refused, instants)
		values ($1, false, array_fill(clock_timestamp(), array[120]))
		on conflict (key_id, refused) do update set instants = excluded.instants`
)

func query(text string) func(*attempt) { return func(a *attempt) { a.query = text } }

func after(sql string) func(*attempt) { return func(a *attempt) { a.w.Exec(sql, a.key.ID) } }

func target(method, path string) func(*attempt) {
	return func(a *attempt) { a.raw = line(method, path, "Authorization: "+a.authorization) }
}

// raw sends the rest of a request unchanged.
func raw(method, rest string) func(*attempt) {
	return func(a *attempt) {
		a.raw = method + " /api/v1/forks HTTP/1.1\r\nHost: x\r\nAuthorization: " +
			a.authorization + "\r\n" + rest
	}
}

// provokedElsewhere names, for each other message, the test that gets it.
var provokedElsewhere = map[string]string{
	"KeyStopped":                   "TestExportOfKeyThatStoppedIsRefused",
	"TooManyReports":               "TestRefusedReportSaysWhen",
	"TooManyExportsOfOrganisation": "TestRefusedExportNamesTheLimit",
	"TooManyExportsOfInstance":     "TestRefusedExportNamesTheLimit",
}

// rules.md, Formats and Order of checks: a request that passes all checks but one gets the answer of
// errors.yaml, which the document and /docs list, and its entry in the audit log.
func TestEachErrorOfTheTable(t *testing.T) {
	t.Parallel()
	named := slices.AppendSeq(slices.Collect(maps.Keys(provoked)), maps.Keys(provokedElsewhere))
	require.ElementsMatch(t, slices.Collect(maps.Keys(knownErrors())), named,
		"each message of errors.yaml is provoked")
	shared := start(t)
	valid := newAttempt(t, shared)
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER    "} {
		valid.authorization = scheme + valid.key.Token()
		valid.send().Is(t, http.StatusOK)
	}
	for name, provoke := range provoked {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := shared
			// these change the whole database
			if slices.Contains([]string{"AuditUnavailable", "ExportNotRecorded",
				"Internal", "Unavailable"}, name) {
				w = start(t)
			}
			a := newAttempt(t, w)
			provoke(a)
			if name == "TooManyRejections" { // counted in place of an entry
				require.Contains(t, errorNames(a.send()), name)
			} else {
				a.requireAnswer(name)
			}
		})
	}
}
