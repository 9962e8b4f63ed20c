package publicapi_test

import (
	"encoding/csv"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

// newRouter finds the operations of the document for the instance at url.
func newRouter(t *testing.T, url string) routers.Router {
	document := storedDocument(t)
	document.Servers[0].URL = url
	for _, schema := range document.Components.Schemas {
		narrow(schema.Value)
		for _, property := range schema.Value.Properties {
			narrow(property.Value)
		}
	}
	// TestExamplesAreAnswersOfTheDemo checks the examples
	router, err := legacy.NewRouter(document, openapi3.DisableExamplesValidation())
	require.NoError(t, err)
	return router
}

// narrow excludes what clients accept although this program does not send it.
func narrow(s *openapi3.Schema) {
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

// check compares a request and its answer with the document: accepted requests are valid, and each
// answer has a declared status with its headers and body. Errors have the declared body for any
// method and path.
func (w *world) check(t *testing.T, got testkit.Page) {
	r := got.Request
	assert.Regexp(t, `^[A-Za-z0-9_-]{8,64}$`, got.Header.Get("X-Request-Id"))
	assert.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
	if strings.HasPrefix(r.URL.Path, "/api/v1/") {
		assert.Empty(t, screenHeaders(got.Header), r.URL)
	}
	if r.Method == http.MethodHead {
		assert.Empty(t, got.Body)
		return
	}
	if got.StatusCode >= 400 {
		checkError(t, got)
	}
	route, params, undeclared := w.router.FindRoute(r)
	if undeclared != nil || got.Header.Get("Content-Encoding") != "" {
		return // uncompressed answers are checked
	}
	input := &openapi3filter.RequestValidationInput{
		Request: r, Route: route, PathParams: params,
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, MultiError: true,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		},
	}
	if got.StatusCode < 400 {
		assert.NoError(t, openapi3filter.ValidateRequest(r.Context(), input), "%s was accepted",
			r.URL)
	}
	err := openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: got.StatusCode, Header: got.Header,
		Body: io.NopCloser(strings.NewReader(got.Body)), Options: input.Options,
	})
	assert.NoError(t, err, "%s answered %d: %s", r.URL, got.StatusCode, got.Body)
	if strings.HasPrefix(got.Header.Get("Content-Type"), "text/csv") {
		checkCSV(t, route, got.Body)
	}
}

// checkCSV checks the header row and the type of every cell against the document's x-csv-columns.
func checkCSV(t *testing.T, route *routers.Route, body string) {
	schema := route.Operation.Responses.Status(http.StatusOK).Value.Content.Get("text/csv").
		Schema.Value
	columns := schema.Extensions["x-csv-columns"].([]any)
	reader := csv.NewReader(strings.NewReader(body))
	reader.FieldsPerRecord = len(columns)
	rows, err := reader.ReadAll()
	assert.NoError(t, err)
	assert.NotContains(t, body, "\r")
	for i, raw := range columns {
		column := raw.(map[string]any)
		assert.Equal(t, column["name"], rows[0][i])
		for _, row := range rows[1:] {
			if row[i] == "" {
				assert.Equal(t, true, column["empty"], "%s is empty", column["name"])
			} else {
				assert.Regexp(t, column["pattern"], row[i], column["name"])
			}
		}
	}
}

// specification, 4.5: the served document is valid and has the four operations. Each declares its
// errors, and when to retry.
func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	document := storedDocument(t)
	require.NoError(t, document.Validate(t.Context()))
	stored, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	w := start(t)
	require.Equal(t, strings.Replace(string(stored), document.Servers[0].URL, w.url, 1),
		w.send(t, http.MethodGet, "/openapi/v1.json", "").Is(t, http.StatusOK).Body,
		"servers is where the program is reached")
	var operations []string
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			operations = append(operations, method+" "+path+" "+operation.OperationID)
			answers := operation.Responses.Map()
			for _, status := range []string{
				"200", "400", "401", "403", "404", "405", "429", "500", "503", "default",
			} {
				require.Contains(t, answers, status, path)
			}
			for _, status := range []string{"429", "503"} {
				require.True(t, answers[status].Value.Headers["Retry-After"].Value.Required)
			}
		}
	}
	require.ElementsMatch(t, []string{
		"GET /api/v1/forks listForks", "GET /api/v1/forks/{forkId} getFork",
		"GET /api/v1/forks/{forkId}/stats getForkStats",
		"GET /api/v1/forks/{forkId}/exports/csv exportForkPlaysCsv",
	}, operations)
}
