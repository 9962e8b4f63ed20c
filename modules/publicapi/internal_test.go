package publicapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/limit"
	"dg/platform/testkit/oracle"
	"dg/platform/testkit/tb"
)

// rules.md, Failures: the policy refuses another organisation's data even if a query returns it by mistake.
func TestPolicyRefusesAnotherOrganisationsData(t *testing.T) {
	foreign := games.Fork{ID: "fork", OrganisationID: "another", Title: "Foreign"}
	forks := newMockForks(t) // like a query without its condition on the organisation
	forks.On("Fork", mock.Anything, "own", "fork").Return(foreign, nil)
	forks.On("Forks", mock.Anything, "own").Return([]games.Fork{foreign}, nil)
	policy := tb.Must(authz.New())(t)
	require.Len(t, endpoints, strings.Count(string(openAPI), `"x-required-scope"`), "the document has each endpoint")
	for _, e := range endpoints {
		path := apiPrefix + strings.Replace(e.template, ":forkId", "fork", 1)
		status := http.StatusForbidden
		if !strings.HasPrefix(e.template, "forks/") { // in a list, a foreign fork is the query's mistake
			status = http.StatusInternalServerError
		}
		keys, header := mockUsableKey(t)
		if status == http.StatusForbidden {
			keys.On("Refuse", mock.Anything, mock.Anything, audit.OtherOrganisation, mock.Anything,
				mock.Anything, errForeignFork).Return(errForeignFork)
		}
		app := mountAPI(t, Dependencies{Keys: keys, Games: forks, Policy: policy, Requests: limit.NewRequests(5)})
		response, body := sendGet(t, app, path, header)
		require.Equal(t, status, response.StatusCode, path)
		require.NotContains(t, body, "Foreign", path)
	}
}

// mockUsableKey returns a mock that accepts one key, of the organisation "own", and the headers with the key.
func mockUsableKey(t *testing.T) (*mockKeys, http.Header) {
	keys := newMockKeys(t)
	token := apikeys.NewToken()
	keys.On("Authenticate", mock.Anything, token, mock.Anything).Return(apikeys.Caller{
		Actor: audit.Actor{Kind: audit.Key, ID: "key"},
		Subject: authz.Subject{Kind: authz.Key, OrganisationID: "own",
			Grants: []string{string(apikeys.ForksRead), string(apikeys.ReportsRead)}},
	}, nil)
	return keys, http.Header{"Authorization": {"Bearer " + token.String()}}
}

type exportOpener func(c *fiber.Ctx) error

func (open exportOpener) Open(c *fiber.Ctx, _ exports.Request) (*exports.Export, error) {
	return nil, open(c)
}

// limit/doc.go, Invariant: an export that acquires a slot of its own frees its slot of requests.
func TestExportFreesTheSlotOfItsRequest(t *testing.T) {
	policy := tb.Must(authz.New())(t)
	requests := limit.NewRequests(5)
	running := func() int64 { return requests.Limiters()["unknown_requests"].Stats().Running }
	keys, header := mockUsableKey(t)
	forks := newMockForks(t)
	forks.On("Fork", mock.Anything, "own", "fork").Return(games.Fork{ID: "fork", OrganisationID: "own"}, nil)
	open := exportOpener(func(c *fiber.Ctx) error {
		assert.EqualValues(t, 1, running())
		assert.NoError(t, tb.ErrorOf(limit.New(limit.Options{Max: 1, PerKey: 1}).Acquire(c.UserContext(), "own")))
		assert.Zero(t, running())
		return errOutsideAPI
	})
	app := mountAPI(t, Dependencies{Keys: keys, Games: forks, Policy: policy, Requests: requests, Exports: open})
	response, _ := sendGet(t, app, "/api/v1/forks/fork/exports/csv?from=2026-03-01&to=2026-03-01", header)
	require.Equal(t, http.StatusForbidden, response.StatusCode)
}

func mountAPI(t *testing.T, dependencies Dependencies) *fiber.App {
	api := New(dependencies, "http://dg.example.org")
	app := fiber.New()
	api.Mount(app)
	return app
}

// A refused key is not remembered, so its next request also takes a slot of unknown credentials.
func TestRefusedKeyIsNotRemembered(t *testing.T) {
	requests := limit.NewRequests(5)
	keys := newMockKeys(t)
	requireSlot := func(mock.Arguments) {
		assert.EqualValues(t, 1, requests.Limiters()["unknown_requests"].Stats().Running)
	}
	keys.On("Authenticate", mock.Anything, mock.Anything, mock.Anything).Return(apikeys.Caller{}, errNoKey).
		Run(requireSlot).Twice()
	keys.On("RefuseOutsideAPI", mock.Anything, mock.Anything, mock.Anything, mock.Anything).Return(errOutsideAPI).
		Run(requireSlot)
	app := mountAPI(t, Dependencies{Keys: keys, Requests: requests})
	header := http.Header{"Authorization": {"Bearer " + apikeys.NewToken().String()}}
	for range 2 {
		response, _ := sendGet(t, app, "/api/v1/forks", header)
		require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	}
	response, _ := sendGet(t, app, "/healthz", header)
	require.Equal(t, http.StatusForbidden, response.StatusCode)
}

// rules.md, Order of checks, 2: no key, a malformed key or several headers get 401 before any lookup. The challenge
// has an error only if a token was sent.
func TestChallengeSaysWhetherATokenWasSent(t *testing.T) {
	app := httpserver.New(httpserver.Options{Logger: slog.New(slog.DiscardHandler)}).App()
	(&API{}).Mount(app)
	token := apikeys.NewToken().String()
	const plain, invalid = `Bearer`, `Bearer error="invalid_token"`
	for _, c := range []struct {
		headers []string
		want    string
	}{
		{nil, plain}, {[]string{"Bearer"}, plain}, {[]string{"Basic " + token}, plain}, {[]string{token}, plain},
		{[]string{"Bearer" + token}, plain}, {[]string{"Bearer x"}, invalid}, {[]string{"bearer x"}, invalid},
		{[]string{"bEaReR  x"}, invalid}, {[]string{"Bearer " + token + " x"}, invalid},
		{[]string{"Bearer " + token[:len(token)-1]}, invalid}, {[]string{"Bearer " + token + "0"}, invalid},
		{[]string{"Bearer " + strings.Replace(token, "live", "test", 1)}, invalid},
		{[]string{"Bearer " + token, "Bearer " + token}, invalid}, {[]string{"Bearer " + token, "Basic eDp5"}, invalid},
	} {
		path := "/api/v1/forks?api_key=" + token + "&access_token=" + token
		response, _ := sendGet(t, app, path, http.Header{
			"Authorization": c.headers,
			"Cookie":        {"Authorization=Bearer " + token},
		})
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, "%q", c.headers)
		require.Equal(t, []string{c.want}, response.Header["Www-Authenticate"], "%q", c.headers)
		require.Empty(t, response.Header.Get("RateLimit"))
	}
}

// rules.md, Bounds: statistics above 64 KB wait while 48 MB of their organisation are being sent.
func TestLargeStatisticsWaitForMemoryOfTheirOrganisation(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"errors.yaml", "rules.md", "../../web/docs/templates/errors.html"} {
		text := string(tb.Must(os.ReadFile(page))(t))
		require.Contains(t, text, fmt.Sprintf("%d MB", maxLargeResponsesMBOfOrganisation), page)
	}
	api := New(Dependencies{}, "http://dg.example.org")
	header := http.Header{}
	send := func(organisation string, size int) (status int) {
		app := fiber.New()
		app.Get("/", func(c *fiber.Ctx) error {
			r := &call{c: c, ctx: t.Context()}
			r.caller.OrganisationID = organisation
			return api.server.Handle(c, func(*fiber.Ctx) error {
				return api.send(r, bytes.Repeat([]byte("1"), size), "")
			})
		})
		response, body := sendGet(t, app, "/", header)
		assert.True(t, len(body) == size || header["Range"] != nil)
		return response.StatusCode
	}
	const small, large = 64 << 10, 64<<10 + 1
	hold := func(megabytes int) (release func()) {
		return tb.Must(api.largeResponses.AcquireN(t.Context(), "own", megabytes))(t)
	}
	requireWait := func(size int, release func()) {
		done := make(chan int, 1)
		go func() { done <- send("own", size) }()
		require.Eventually(t, func() bool { return api.largeResponses.Stats().Waiting == 1 },
			10*time.Second, time.Millisecond)
		require.Empty(t, done)
		release()
		require.Equal(t, http.StatusOK, <-done)
	}
	releaseFirst := hold(47)
	require.Equal(t, http.StatusOK, send("own", large), "the last of the 48 MB")
	releaseSecond := hold(1)
	require.Equal(t, http.StatusOK, send("own", small))
	require.Equal(t, http.StatusOK, send("another", large))
	requireWait(large, releaseSecond)
	releaseFirst()
	requireWait(1<<20+1, hold(47)) // sizes round up to megabytes: 2 MB do not fit beside 47
	header.Set("Range", "bytes=9-")
	require.Equal(t, http.StatusBadRequest, send("own", large))
	require.Zero(t, api.largeResponses.Stats().Running, "what was sent or refused gives its share back")
}

func sendGet(t *testing.T, app *fiber.App, path string, header http.Header) (response *http.Response, body string) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header = header
	response, err := app.Test(r, -1) // -1: no timeout
	require.NoError(t, err)
	defer response.Body.Close()
	content := tb.Must(io.ReadAll(response.Body))(t)
	return response, string(content)
}

func parseQuery(t *testing.T, query string) (parsed reports.Query, err error) {
	app := httpserver.New(httpserver.Options{Logger: slog.New(slog.DiscardHandler)}).App()
	app.Get("/", func(c *fiber.Ctx) error {
		parsed, err = reportQuery(c, games.Fork{ID: "fork", OrganisationID: "org"})
		return nil
	})
	sendGet(t, app, "/?"+query, http.Header{})
	return parsed, err
}

// rules.md, Order of checks, 8: reports refuse invalid parameters. Packages input and reports test days and periods.
func TestReportParametersAreValidated(t *testing.T) {
	const day = "from=2024-03-01&to=2024-03-02"
	for query, group := range map[string]string{
		day: "", "to=2024-03-02&" + day[:15]: "", day + "&groupId=x": "x",
		day + "&groupId=0B9F6F0E-5A3C-4D56-9A77-1F8F5A1C2E40": "0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e40",
	} {
		period := tb.Must(reports.ParsePeriod("2024-03-01", "2024-03-02"))(t)
		parsed, err := parseQuery(t, query)
		require.NoError(t, err, query)
		require.Equal(t, reports.Query{
			OrganisationID: "org", ForkID: "fork", Period: period, GroupID: group,
		}, parsed, query)
	}
	for _, query := range []string{
		"from&to=2024-03-01", "from=2024-03-01%00&to=2024-03-01", day + "&%66rom=2024-03-01",
		day + "&groupId", day + "&groupId=x&groupId=x", day + "&GROUPID=x", day + "&=", day + "&=x",
	} {
		_, err := parseQuery(t, query)
		require.True(t, apperr.Is(err, apperr.Validation), "%s: %v", query, err)
	}
}

// rules.md, Formats: an error quotes the wrong parameter or value, but not the secret of a key.
func TestErrorsNameTheParameterAndItsValue(t *testing.T) {
	const knownText = "This endpoint takes `from`, `to` and `groupId`."
	const format = ". Send a calendar day, YYYY-MM-DD, for example 2026-03-01."
	const noDay = "`from` is not a day from 2000-01-01 to 2199-12-31: "
	const unknownText = "Unknown query parameter "
	id := strings.Repeat("i", 22)
	for query, want := range map[string]string{
		"group=x":                   unknownText + "`group`. " + knownText,
		"end=&unknown":              unknownText + "`end`. " + knownText,
		"a%0D%0Ab%FF=1":             unknownText + "`a\uFFFD\uFFFDb\uFFFD`. " + knownText,
		"=x":                        unknownText + "`=`. " + knownText,
		strings.Repeat("x-", 1_500): unknownText + "`" + strings.Repeat("x-", 30) + "…`. " + knownText,
		"dg_live_" + id + "_" + strings.Repeat("s", 43) + "=": unknownText + "`dg_live_" + id + "_…`. " + knownText,
		"x" + "dg%255Flive_" + id + "_sss":                    unknownText + "`xdg_live_" + id + "_…`. " + knownText,

		"to=2026-03-01&from=yesterday":                                     noDay + "yesterday" + format,
		"to=2026-03-01&from=dg_live_" + id + "_" + strings.Repeat("s", 49): noDay + "dg_live_" + id + "_…" + format,
		"to=2026-03-01&from=x" + strings.Repeat("A", 49):                   noDay + "…" + format,
		"from=2026-03-01&to=dg_live_" + id + "_" + strings.Repeat("s", 49): strings.Replace(noDay, "from", "to", 1) +
			"dg_live_" + id + "_…" + format,
	} {
		require.EqualError(t, tb.ErrorOf(parseQuery(t, query)), "ERR_VALIDATION: "+want, query)
	}
}

// The bytes of statistics equal those of encoding/json, even if rows exceed their share of the buffer.
// TestFiguresAgreeWithTheOracle tests the figures.
func TestStatisticsEqualEncodingJSON(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	names := []string{"", "P-7K3M9QXA2F", "Zoë <b>\"O'Neil\\\"</b> & Søn", "\u2028\x00\t", "日本語",
		strings.Repeat("long ", 60)}
	for _, n := range []int{0, 1, 2, minParallelRows - 1, minParallelRows, 2*minParallelRows + 1, 30_000} {
		for _, oddLabels := range []int{0, n / 2, n} { // number of players whose rows may exceed their share
			rows := make([]reports.PlayerStat, n)
			for i := range rows {
				rows[i] = reports.PlayerStat{
					Label: fmt.Sprintf("Player %d", i), Plays: 1 + random.Int64N(1<<random.IntN(31)),
					BestScore: reports.Percent(random.IntN(1001)), Passed: random.IntN(2) == 0,
					LastPlayedAt: time.UnixMilli(random.Int64N(253_402_300_800_000+62_135_596_800_000) -
						62_135_596_800_000).UTC(), // gives the years 1 to 9999
				}
				if i < oddLabels {
					rows[i].Label = names[random.IntN(len(names))]
				}
			}
			requireEncoded(t, reports.Statistics{
				Plays: random.Int64N(1e9), UniquePlayers: int64(n), CompletionRate: reports.Rate(random.IntN(10_001)),
				ReportingMode: org.Nominative, Player: func(i int) reports.PlayerStat { return rows[i] },
				Daily: slices.Repeat([]reports.DailyStat{{Date: "2026-03-01", Plays: 1e17, AvgScore: 625}},
					random.IntN(367)),
				Skills: []reports.SkillStat{{SkillID: "phishing", Attempts: 3, CorrectRate: 6667}},
			})
		}
	}
	requireEncoded(t, reports.Statistics{ReportingMode: org.Pseudonymous, Suppressed: true})
	require.NotContains(t, statisticsFormat, "[]", "the tag depends on the fields of each list's rows")
}

// requireEncoded requires the bytes of encoding/json, with the players of s and a row for each of its days.
func requireEncoded(t *testing.T, s reports.Statistics) {
	text := statisticsJSON(s)
	var decoded oracle.Statistics
	require.NoError(t, json.Unmarshal(text, &decoded))
	require.Equal(t, string(tb.Must(json.Marshal(decoded))(t)), string(text))
	require.Equal(t, []int{len(s.Daily), int(s.UniquePlayers)}, []int{len(decoded.Daily), len(decoded.Players)})
	for i, p := range decoded.Players {
		require.Equal(t, oracle.Player{
			PlayerLabel: s.Player(i).Label, Plays: s.Player(i).Plays,
			BestScorePercent: float64(s.Player(i).BestScore) / 10, Passed: s.Player(i).Passed,
			LastPlayedAt: s.Player(i).LastPlayedAt.Format("2006-01-02T15:04:05.000Z"),
		}, p)
	}
}
