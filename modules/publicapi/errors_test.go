package publicapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/assembly"
	"dg/modules/reports"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

// knownError is a message of errors.yaml with the answer that it belongs to.
type knownError struct {
	status int
	code   string
	text   *regexp.Regexp
}

// knownErrors is errors.yaml by the names of the messages.
var knownErrors = sync.OnceValue(func() map[string]knownError {
	source, err := os.ReadFile("errors.yaml")
	if err != nil {
		panic(err)
	}
	var table []struct {
		Status   int
		Code     string
		Messages map[string]struct{ When, Text string }
	}
	if err := yaml.Unmarshal(source, &table); err != nil {
		panic(err)
	}
	known := map[string]knownError{}
	for _, e := range table {
		for name, m := range e.Messages {
			known[name] = knownError{e.Status, e.Code, messagePattern(m.Text)}
		}
	}
	return known
})

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// messagePattern matches the message with anything in place of what stands in braces.
func messagePattern(text string) *regexp.Regexp {
	fixed := placeholder.Split(text, -1)
	for i, part := range fixed {
		fixed[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile("^" + strings.Join(fixed, ".+") + "$")
}

// errorNames returns the names in errors.yaml that an answer has: none is an answer that the table
// lacks.
func errorNames(status int, body []byte) (names []string) {
	var got struct {
		Message string
		Details struct{ Code string }
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return nil
	}
	for name, e := range knownErrors() {
		if e.status == status && e.code == got.Details.Code && e.text.MatchString(got.Message) {
			names = append(names, name)
		}
	}
	return names
}

// checkError requires that errors.yaml has the answer.
func checkError(t *testing.T, status int, body []byte) {
	t.Helper()
	assert.NotEmpty(t, errorNames(status, body), "errors.yaml has no such answer: %d %s", status,
		body)
}

// provoked has, for each message of errors.yaml, a request that is answered with it; * is a request
// that is sent as it is.
var provoked = map[string]func(a *attempt) answer{
	"PeriodMissing": func(a *attempt) answer { return a.sendQuery("") },
	"DayMissing":    func(a *attempt) answer { return a.sendQuery("from=2026-03-01") },
	"NotADay":       func(a *attempt) answer { return a.sendQuery("from=today&to=2026-03-01") },
	"DayWithTime": func(a *attempt) answer {
		return a.sendQuery("from=2026-03-01T00:00:00Z&to=2026-03-01")
	},
	"NoSuchDay": func(a *attempt) answer {
		return a.sendQuery("from=2026-02-30&to=2026-03-01")
	},
	"DayOutOfRange": func(a *attempt) answer {
		return a.sendQuery("from=1999-12-31&to=2000-03-01")
	},
	"PeriodReversed": func(a *attempt) answer {
		return a.sendQuery("from=2026-03-31&to=2026-03-01")
	},
	"PeriodTooLong": func(a *attempt) answer {
		return a.sendQuery("from=2024-03-31&to=2026-03-01")
	},
	"ParameterMistyped": func(a *attempt) answer { return a.sendQuery(a.query + "&group=x") },
	"ParameterUnknown":  func(a *attempt) answer { return a.sendQuery("from=&from=&format=csv") },
	"ParameterRepeated": func(a *attempt) answer {
		return a.sendQuery("from=2026-03-01&from=2026-03-01")
	},
	"DayEmpty":   func(a *attempt) answer { return a.sendQuery("from=") },
	"GroupEmpty": func(a *attempt) answer { return a.sendQuery("groupId=") },
	"BodySent": func(a *attempt) answer {
		return a.sendRaw("GET", "Content-Length: 1\r\n\r\nx")
	},
	"LineEnding":   func(a *attempt) answer { return a.sendRaw("GET", "X: y\nZ: y\r\n\r\n") },
	"FoldedHeader": func(a *attempt) answer { return a.sendRaw("GET", "X: y\r\n z\r\n\r\n") },
	"LengthRepeated": func(a *attempt) answer {
		return a.sendRaw("POST", "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx")
	},
	"BodyInChunks": func(a *attempt) answer {
		return a.sendRaw("POST", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
	},
	"Fragment":         func(a *attempt) answer { return a.sendTo("GET", "/api/v1/forks#x") },
	"RequestMalformed": func(a *attempt) answer { return a.sendRaw("GET", "no colon\r\n\r\n") },
	"KeyMissing":       func(a *attempt) answer { return a.sendAs("") },
	"HeaderRepeated": func(a *attempt) answer {
		return a.sendRaw("GET", "Authorization: "+a.authorization+"\r\n\r\n")
	},
	"KeyIncomplete": func(a *attempt) answer {
		return a.sendAs(a.authorization[:len(a.authorization)-1])
	},
	"KeyMalformed": func(a *attempt) answer { return a.sendAs(a.authorization + "0") },
	"KeyInvalid": func(a *attempt) answer {
		return a.sendAs("Bearer " + wrongSecret(a.token))
	},
	"KeyRevoked": func(a *attempt) answer {
		return a.sendAfter(
			`update api_keys set revoked_at = date_trunc('milliseconds', now()) where id = $1`,
		)
	},
	"KeyExpired": func(a *attempt) answer {
		return a.sendAfter(`update api_keys set expires_at = now() where id = $1`)
	},
	"PlanBelowPro": func(a *attempt) answer { return a.sendAfter(planBelowPro) },
	"ScopeMissing": func(a *attempt) answer {
		return a.sendAfter(`update api_keys set scopes = '{forks:read}' where id = $1`)
	},
	"OtherOrganisation": func(a *attempt) answer {
		a.fork = a.foreign.forks[0]
		return a.send()
	},
	"OutsideApi": func(a *attempt) answer { return a.sendTo("GET", "/healthz") },
	"NearMiss":   func(a *attempt) answer { return a.sendTo("GET", "/API/v1/forks") },
	"ForkUnknown": func(a *attempt) answer {
		a.fork = "x"
		return a.send()
	},
	"GroupUnknown": func(a *attempt) answer {
		return a.sendQuery("from=2026-03-01&to=2026-03-31&groupId=x")
	},
	"PathMistyped":     func(a *attempt) answer { return a.sendTo("GET", "/api/v1/forks/") },
	"PathUnknown":      func(a *attempt) answer { return a.sendTo("GET", "/api/v1/x") },
	"MethodNotAllowed": func(a *attempt) answer { return a.sendTo("DELETE", "/api/v1/forks") },
	"RequestTooSlow":   func(a *attempt) answer { return a.sendRaw("GET", "") },
	"BodyTooLarge": func(a *attempt) answer {
		return a.sendRaw("POST", "Content-Length: 99999999\r\n\r\n")
	},
	"ExpectUnknown": func(a *attempt) answer {
		return a.sendRaw("GET", "Expect: the-best\r\n\r\n")
	},
	"UrlTooLong": func(a *attempt) answer {
		return a.sendTo("GET", "/api/v1/forks?"+strings.Repeat("x", 5000))
	},
	"TooManyRequests": func(a *attempt) answer {
		return a.sendAfter(fullWindow + ` and not refused`)
	},
	"TooManyRejections": func(a *attempt) answer {
		a.exec(fullWindow + ` and refused`)
		return a.sendAs("Bearer " + wrongSecret(a.token))
	},
	"HeadersTooLarge": func(a *attempt) answer {
		return a.sendRaw("GET", "X: "+strings.Repeat("x", 20_000)+"\r\n\r\n")
	},
	"Internal":      func(a *attempt) answer { return a.sendTo("GET", "/api/v1/planted/500") },
	"MethodUnknown": func(a *attempt) answer { return a.sendTo("BREW", "/api/v1/forks") },
	"Unavailable":   func(a *attempt) answer { return a.sendTo("GET", "/api/v1/planted/503") },
	"HttpVersion":   func(a *attempt) answer { return a.exportOverHTTP10() },
	"AuditUnavailable": func(a *attempt) answer {
		a.refuseEntries()
		return a.sendAs("Bearer " + wrongSecret(a.token))
	},
	"TooManyReports": func(a *attempt) answer { return a.sendBesideReports() },
	"ExportNotRecorded": func(a *attempt) answer {
		a.refuseEntries()
		a.tail = "/exports/csv"
		return a.send()
	},
}

// elsewhere are the messages that other tests provoke.
var elsewhere = map[string]string{
	"KeyStopped":                   "modules/exports",
	"TooManyExportsOfKey":          "TestRefusedExportNamesTheLimit",
	"TooManyExportsOfOrganisation": "TestRefusedExportNamesTheLimit",
	"TooManyExportsOfInstance":     "TestRefusedExportNamesTheLimit",
}

const (
	planBelowPro = `update organisations set plan = 'team' where id = (select org_id from api_keys where id = $1)`
	fullWindow   = `update api_key_windows set instants = array_fill(clock_timestamp(), array[120]) where key_id = $1`
)

// The answers of the assembled program are those of errors.yaml, from which the document and /docs
// come.
func TestEachErrorOfTheTable(t *testing.T) {
	t.Parallel()
	named := slices.Concat(slices.Collect(maps.Keys(provoked)),
		slices.Collect(maps.Keys(elsewhere)))
	require.ElementsMatch(t, slices.Collect(maps.Keys(knownErrors())), named,
		"each message of errors.yaml is provoked")
	shared := startWithFailures(t)
	for name, provoke := range provoked {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := shared
			// these disturb others
			if slices.Contains([]string{"AuditUnavailable", "ExportNotRecorded", "TooManyReports"},
				name) {
				w = startWithFailures(t)
			}
			a := newAttempt(t, w, rand.New(rand.NewPCG(70, crc(name))))
			got := provoke(a)
			require.Contains(t, errorNames(got.StatusCode, []byte(got.body)), name, "%d %s",
				got.StatusCode, got.body)
			detail := regexp.MustCompile(`ERR_[A-Z_]+`).FindString(got.body)
			require.Equal(t, "</docs#"+detail+`>; rel="help"`, got.Header.Get("Link"),
				"the row of /docs that explains it")
		})
	}
}

func crc(name string) uint64 { return uint64(crc32.ChecksumIEEE([]byte(name))) }

// startWithFailures begins a world with a route for each failure that a request cannot cause, and
// patient locks.
func startWithFailures(t *testing.T) *world {
	t.Helper()
	db := pgtest.New(t)
	pool, err := postgres.Open(t.Context(), db.DirectURL,
		postgres.Options{MaxConns: 20, LockTimeout: time.Minute})
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return startOver(t, db, assembly.Pools{Auth: pool, Reads: pool, Exports: pool},
		func(app *fiber.App) {
			app.Get("/api/v1/planted/503", func(*fiber.Ctx) error {
				return fiber.ErrServiceUnavailable
			})
			app.Get("/api/v1/planted/500", func(*fiber.Ctx) error { return errors.New("planted") })
		})
}

func (a *attempt) sendQuery(query string) answer {
	a.query = query
	return a.send()
}

func (a *attempt) sendAs(authorization string) answer {
	a.authorization = authorization
	return a.send()
}

// sendAfter changes the key first.
func (a *attempt) sendAfter(sql string) answer {
	a.exec(sql)
	return a.send()
}

func (a *attempt) sendTo(method, path string) answer {
	return a.w.wire(a.t).ask(method, line(method, path, "Authorization: "+a.authorization))
}

// sendRaw sends the rest of a request as it is.
func (a *attempt) sendRaw(method, rest string) answer {
	return a.w.wire(a.t).
		ask(method,
			method+" /api/v1/forks HTTP/1.1\r\nHost: x\r\nAuthorization: "+a.authorization+"\r\n"+
				rest)
}

// exportOverHTTP10 asks for the CSV in a version of HTTP where a broken transfer looks whole.
func (a *attempt) exportOverHTTP10() answer {
	path := a.prefix + "forks/" + a.fork + "/exports/csv?" + a.query
	return a.w.wire(a.t).
		ask(http.MethodGet,
			"GET "+path+" HTTP/1.0\r\nHost: x\r\nAuthorization: "+a.authorization+"\r\n\r\n")
}

// refuseEntries takes the right to write the audit log away.
func (a *attempt) refuseEntries() { a.w.revoke(a.t, "insert on audit_entries") }

// revoke takes a right of the serving role away.
func (w *world) revoke(t *testing.T, right string) {
	t.Helper()
	role, err := postgres.RoleOf(w.db.URL)
	require.NoError(t, err)
	w.exec(t, "revoke "+right+" from "+pgx.Identifier{role}.Sanitize())
}

// sendBesideReports sends the request while as many reports run as the organisation may have.
func (a *attempt) sendBesideReports() answer {
	tx, err := a.w.db.Owner.Pool.Begin(a.t.Context())
	require.NoError(a.t, err)
	_, err = tx.Exec(a.t.Context(), `lock table plays in access exclusive mode`)
	require.NoError(a.t, err)
	request := line(http.MethodGet, a.prefix+"forks/"+a.fork+a.tail+"?"+a.query,
		"Authorization: "+a.authorization)
	answers := make(chan answer, reports.MaxReportsOfOrganisation+1)
	for range cap(answers) {
		conn := a.w.wire(a.t)
		go func() {
			got, _ := conn.try(context.Background(), http.MethodGet, request)
			answers <- got
		}()
	}
	refused := <-answers // the others wait for the lock
	require.NoError(a.t, tx.Rollback(a.t.Context()))
	for range cap(answers) - 1 {
		require.Equal(a.t, http.StatusOK, (<-answers).StatusCode)
	}
	return refused
}
