package publicapi_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/app/demo"
	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/modules/importer"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

func storedDocument(t *testing.T) *openapi3.T {
	return tb.Must(openapi3.NewLoader().LoadFromFile("openapi.json"))(t)
}

// openapi.yaml, Versions: enums of responses may grow. x-extensible-enum has the values of specification 2.4.
func TestEnumsOfResponsesMayGrow(t *testing.T) {
	schemas := storedDocument(t).Components.Schemas
	var skillIDs []string
	for skill := range games.SkillCount {
		skillIDs = append(skillIDs, games.Skill(skill).ID())
	}
	for name, want := range map[string]string{
		"api.ForkStatus": "active archived", "authz.ForkVisibility": "public organization restricted",
		"common.ContentLocale": "en fr es pt de", "org.ReportingMode": "pseudonymous nominative",
		"game.SkillId": strings.Join(skillIDs, " "), "api.ErrorKind": "", "api.ErrorCode": "",
	} {
		require.Empty(t, schemas[name].Value.Enum, name)
		values, _ := schemas[name].Value.Extensions["x-extensible-enum"].([]any)
		require.NotEmpty(t, values, name)
		if want != "" {
			require.Equal(t, "["+want+"]", fmt.Sprint(values), name)
		}
		names, _ := schemas[name].Value.Extensions["x-enum-varnames"].([]any)
		require.Len(t, names, len(values), "%s: without them generators write ERRACCESSDENIED", name)
		for _, constant := range names {
			require.Regexp(t, "^([A-Z][a-z]+)+$", constant, name)
		}
	}
	for name, schema := range schemas {
		for field, property := range schema.Value.Properties {
			require.Empty(t, property.Value.Enum, "%s.%s", name, field)
		}
	}
	skills := schemas["api.ForkStatsDto"].Value.Properties["skills"].Value
	require.Nil(t, skills.MaxItems, "the catalogue may grow")
}

// The document has the release's version and a short description, which generators copy into each file.
func TestDocumentHasTheVersionOfTheRelease(t *testing.T) {
	info := storedDocument(t).Info
	require.LessOrEqual(t, utf8.RuneCountInString(info.Description), 100)
	changelog := tb.Must(os.ReadFile("../../CHANGELOG.md"))(t)
	release := regexp.MustCompile(`(?m)^## v?(\d+\.\d+\.\d+)`).FindSubmatch(changelog)
	require.NotNil(t, release, "the changelog names the release")
	require.Equal(t, string(release[1]), info.Version)
}

// documentedScopes returns the scope of each path in the document. It appends query to paths that take a period.
func documentedScopes(t *testing.T, query string) map[string]apikeys.Scope {
	scopes := map[string]apikeys.Scope{}
	for path, item := range storedDocument(t).Paths.Map() {
		if item.Get.Parameters.GetByInAndName("query", "from") != nil {
			path += query
		}
		scopes[path] = apikeys.Scope(item.Get.Extensions["x-required-scope"].(string))
	}
	return scopes
}

func newRouter(t *testing.T, url string) routers.Router {
	document := storedDocument(t)
	document.Servers[0].URL = url
	for _, schema := range document.Components.Schemas {
		narrowSchema(schema.Value)
		for _, property := range schema.Value.Properties {
			narrowSchema(property.Value)
		}
	}
	// TestExamplesAreResponsesOfTheDemo checks the examples
	return tb.Must(legacy.NewRouter(document, openapi3.DisableExamplesValidation()))(t)
}

// narrowSchema restricts the schema to the values that this program sends. Clients accept more.
func narrowSchema(s *openapi3.Schema) {
	switch {
	case s.Type.Is("object"):
		s.AdditionalProperties = openapi3.AdditionalProperties{Has: new(false)}
	case s.Extensions["x-extensible-enum"] != nil:
		s.Enum = s.Extensions["x-extensible-enum"].([]any)
	case s.Format == "date-time":
		s.Pattern = `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`
	}
}

func screenHeaders(h http.Header) (names []string) {
	for _, name := range []string{
		"Content-Security-Policy", "X-Frame-Options", "Cross-Origin-Opener-Policy",
		"Referrer-Policy", "Strict-Transport-Security", "Set-Cookie",
	} {
		if h.Get(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

// checkResponse compares a request and its response with the document. Accepted requests must be valid.
// Responses must have a declared status, headers and body. Errors must be in errors.yaml.
func (w *world) checkResponse(t *testing.T, page testkit.Page) {
	r := page.Request
	assert.Regexp(t, `^[A-Za-z0-9_-]{8,64}$`, page.Header.Get("X-Request-Id"))
	assert.Equal(t, "nosniff", page.Header.Get("X-Content-Type-Options"))
	if strings.HasPrefix(r.URL.Path, "/api/v1/") {
		assert.Empty(t, screenHeaders(page.Header), r.URL)
	}
	if r.Method == http.MethodHead {
		assert.Empty(t, page.Body)
		return
	}
	if page.StatusCode >= 400 {
		checkError(t, page)
	}
	route, params, routeErr := w.router.FindRoute(r)
	if routeErr != nil || page.Header.Get("Content-Encoding") != "" {
		return // only uncompressed, documented responses are checked further
	}
	input := &openapi3filter.RequestValidationInput{
		Request: r, Route: route, PathParams: params,
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, MultiError: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		},
	}
	if page.StatusCode < 400 {
		assert.NoError(t, openapi3filter.ValidateRequest(r.Context(), input), "%s was accepted", r.URL)
	}
	err := openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: page.StatusCode, Header: page.Header,
		Body: io.NopCloser(strings.NewReader(page.Body)), Options: input.Options,
	})
	assert.NoError(t, err, "%s answered %d: %s", r.URL, page.StatusCode, page.Body)
	if strings.HasPrefix(page.Header.Get("Content-Type"), "text/csv") {
		checkCSV(t, route, page.Body)
	}
}

// checkCSV checks the header row and the type of every cell against the document's x-csv-columns.
func checkCSV(t *testing.T, route *routers.Route, body string) {
	schema := route.Operation.Responses.Status(http.StatusOK).Value.Content.Get("text/csv").Schema.Value
	columns := schema.Extensions["x-csv-columns"].([]any)
	reader := csv.NewReader(strings.NewReader(body))
	reader.FieldsPerRecord = len(columns)
	rows, err := reader.ReadAll()
	assert.NoError(t, err)
	assert.NotContains(t, body, "\r")
	for i, value := range columns {
		column := value.(map[string]any)
		assert.Equal(t, column["name"], rows[0][i])
		pattern := regexp.MustCompile(column["pattern"].(string))
		for _, row := range rows[1:] {
			if row[i] == "" {
				assert.Equal(t, true, column["empty"], "%s is empty", column["name"])
			} else {
				assert.Regexp(t, pattern, row[i], column["name"])
			}
		}
	}
}

// The served document is valid. Each operation declares its errors and Retry-After.
func TestDocumentIsValid(t *testing.T) {
	document := storedDocument(t)
	require.NoError(t, document.Validate(t.Context()))
	stored := tb.Must(os.ReadFile("openapi.json"))(t)
	w := start(t)
	require.Equal(t, strings.Replace(string(stored), document.Servers[0].URL, w.url, 1),
		w.send(t, http.MethodGet, "/openapi/v1.json", "").Is(t, http.StatusOK).Body, "the program's address")
	w.send(t, http.MethodHead, "/openapi/v1.json", "").Is(t, http.StatusOK)
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			require.Equal(t, http.MethodGet, method, path)
			responses := operation.Responses.Map()
			for _, status := range []string{"200", "400", "401", "403", "404", "405", "429", "500", "503", "default"} {
				require.Contains(t, responses, status, path)
			}
			for _, status := range []string{"429", "503"} {
				require.True(t, responses[status].Value.Headers["Retry-After"].Value.Required)
			}
		}
	}
}

// examples.json has the demo's responses to the requests in openapi.yaml. scripts/contract copies them into the
// document. `make generate && DG_UPDATE=1 go test ./modules/publicapi -run TestExamples && make generate` updates both.
func TestExamplesAreResponsesOfTheDemo(t *testing.T) {
	stored := tb.Must(os.ReadFile("examples.json"))(t)
	document := tb.Must(os.ReadFile("openapi.yaml"))(t)
	examples := map[string]any{} // JSON, or the text of a CSV file
	w := start(t)
	// the demo of 1 April 2026 with nine days of plays only
	var file, reduced bytes.Buffer
	require.NoError(t, demo.Write(&file, time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)))
	for _, name := range []string{"ForkId", "GroupId"} {
		id := storedDocument(t).Components.Parameters[name].Value.Example.(string)
		require.Contains(t, file.String(), `"id":"`+id+`"`, name)
	}
	for line := range bytes.Lines(file.Bytes()) {
		if !bytes.Contains(line, []byte(`"type":"play"`)) || bytes.Contains(line, []byte(`"startedAt":"2026-03-0`)) {
			reduced.Write(line)
		}
	}
	input := importer.Input{Name: t.Name(), Open: func() (io.ReadCloser, error) { return io.NopCloser(&reduced), nil }}
	tb.Must(importer.Importer{Pool: w.Owner.Pool}.Import(t.Context(), []importer.Input{input}, nil))(t)
	// fixed pseudonyms give equal responses in every run
	w.Exec(`alter table players disable trigger player_pseudonym`)
	w.Exec(`update players set label = 'P-' || upper(left(md5(id::text), 10))`)
	key := w.AddKey(testkit.Query[string](w.World, `select id::text from organisations where slug = 'harbour-and-vale'`))
	for _, request := range regexp.MustCompile(`GET (/api/v1/\S+)`).FindAllSubmatch(document, -1) {
		name, path := string(request[0]), string(request[1])
		page := w.get(t, path, key).Is(t, http.StatusOK)
		route, _ := tb.Must2(w.router.FindRoute(page.Request))(t)
		headers := route.Operation.Responses.Status(http.StatusOK).Value.Headers
		for _, header := range []string{"RateLimit-Policy", "Cache-Control", "Vary", "Content-Disposition"} {
			if headers[header] != nil && !strings.Contains(path, "groupId") {
				require.Equal(t, headers[header].Value.Example, page.Header.Get(header), header)
			}
		}
		examples[name] = page.Body
		if strings.HasPrefix(page.Header.Get("Content-Type"), "application/json") {
			examples[name] = json.RawMessage(page.Body)
		}
	}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	require.NoError(t, encoder.Encode(examples))
	if os.Getenv("DG_UPDATE") != "" {
		require.NoError(t, os.WriteFile("examples.json", encoded.Bytes(), 0o644))
		return
	}
	require.Equal(t, string(stored), encoded.String(),
		"DG_UPDATE=1 go test ./modules/publicapi -run TestExamples && make generate")
}

// TestMain sets a time zone other than UTC: days are UTC days in any (openapi.yaml, Figures, days and times).
func TestMain(m *testing.M) {
	time.Local = time.FixedZone("Asia/Kathmandu", 5*60*60+45*60)
	m.Run()
}

// world is a database and a listening instance of the whole program.
type world struct {
	*testkit.World
	app       *fiber.App
	url       string
	transport http.RoundTripper
	router    routers.Router
}

func start(t *testing.T) *world {
	t.Parallel()
	return startWithoutParallel(t)
}

// startWithoutParallel is start for a test that has already called t.Parallel.
func startWithoutParallel(t *testing.T) *world {
	served := apptest.ServeInProcess(t, testkit.New(t), assembly.Settings{})
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &world{
		World: served.World, app: served.Server.App(), url: served.BaseURL, transport: transport,
		router: newRouter(t, served.BaseURL),
	}
}

// send sends a request and checks the response. headers are pairs of name and value.
func (w *world) send(t *testing.T, method, path, authorization string, headers ...string) testkit.Page {
	r := tb.Must(http.NewRequestWithContext(t.Context(), method, w.url+path, http.NoBody))(t)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response := tb.Must(w.transport.RoundTrip(r))(t)
	defer response.Body.Close()
	body := tb.Must(io.ReadAll(response.Body))(t)
	page := testkit.Page{Response: response, Body: string(body)}
	w.checkResponse(t, page)
	return page
}

func decodeJSON[T any](t *testing.T, page testkit.Page) (value T) {
	require.NoError(t, json.Unmarshal([]byte(page.Is(t, http.StatusOK).Body), &value))
	return value
}

func (w *world) get(t *testing.T, path string, key testkit.Key, headers ...string) testkit.Page {
	return w.send(t, http.MethodGet, path, "Bearer "+key.Token(), headers...)
}

func (w *world) entries(t *testing.T, organisationID string) []audit.Entry {
	return tb.Must(audit.New(w.DB).List(t.Context(), organisationID, audit.Page{Limit: 1000}))(t)
}

// sendRaw sends the exact bytes of a request, which a client library would change, and reads the response.
func (w *world) sendRaw(t *testing.T, request string) testkit.Page {
	conn := tb.Must((&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://")))(t)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	// the write may fail, because a server may refuse a request without reading all of it
	_, _ = conn.Write([]byte(request))
	method, _, _ := strings.Cut(request, " ")
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, &http.Request{Method: method})
	require.NoError(t, err, "%.200q", request)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err, "%.200q", request)
	if response.Close {
		require.ErrorIs(t, tb.ErrorOf(reader.ReadByte()), io.EOF, "data after an answer that closes")
	}
	return testkit.Page{Response: response, Body: string(body)}
}

func requestText(method, target string, headers ...string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: dg.example\r\n" + strings.Join(append(headers, "", ""), "\r\n")
}
