package publicapi_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newContractCheck returns a check of what passes through next against the document that the
// instance at url serves.
func newContractCheck(t *testing.T, url string, next http.RoundTripper) contractCheck {
	t.Helper()
	document := documentOf(t, url)
	// TestExamplesAreAnswersOfTheDemo checks the examples
	router, err := legacy.NewRouter(document, openapi3.DisableExamplesValidation())
	require.NoError(t, err)
	eachSchema(document, func(s *openapi3.Schema) {
		switch {
		// clients ignore unknown fields; this program sends none
		case s.Type.Is("object"):
			s.AdditionalProperties = openapi3.AdditionalProperties{Has: new(false)}
		// clients accept other values; this program sends none
		case s.Extensions["x-extensible-enum"] != nil:
			s.Enum = s.Extensions["x-extensible-enum"].([]any)
		case s.Format == "date-time":
			s.Pattern = `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`
		}
	})
	return contractCheck{t: t, next: next, document: document, router: router}
}

// eachSchema visits the document's schemas and those of their fields.
func eachSchema(document *openapi3.T, visit func(*openapi3.Schema)) {
	for _, schema := range document.Components.Schemas {
		visit(schema.Value)
		for _, property := range schema.Value.Properties {
			visit(property.Value)
		}
	}
}

// documentOf reads the document that an instance serves.
func documentOf(t *testing.T, url string) *openapi3.T {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/openapi/v1.json",
		http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	document, err := openapi3.NewLoader().LoadFromData(body)
	require.NoError(t, err)
	require.Equal(t, url, document.Servers[0].URL, "servers is where the program is reached")
	return document
}

// contractCheck is a transport that checks requests and responses against the document: accepted
// requests are valid, and each response has a declared status with its headers and body.
type contractCheck struct {
	t        *testing.T
	next     http.RoundTripper
	document *openapi3.T
	router   routers.Router
}

// RoundTrip implements http.RoundTripper.
func (c contractCheck) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	c.check(r, response, body)
	return response, nil
}

// screenHeaders returns the names of the headers that only screens may have.
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

func (c contractCheck) check(r *http.Request, response *http.Response, body []byte) {
	assert.Regexp(c.t, `^[A-Za-z0-9_-]{8,64}$`, response.Header.Get("X-Request-Id"))
	assert.Equal(c.t, "nosniff", response.Header.Get("X-Content-Type-Options"))
	if strings.HasPrefix(r.URL.Path, "/api/v1/") {
		assert.Empty(c.t, screenHeaders(response.Header), r.URL)
	}
	route, params, unknown := c.router.FindRoute(r)
	if unknown != nil || r.Method != http.MethodGet {
		c.checkUndeclared(r, response, body)
		return
	}
	input := &openapi3filter.RequestValidationInput{
		Request: r, Route: route, PathParams: params,
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, MultiError: true,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		},
	}
	if response.StatusCode < 400 {
		assert.NoError(c.t, openapi3filter.ValidateRequest(r.Context(), input), "%s was accepted",
			r.URL)
	}
	if response.Header.Get("Content-Encoding") != "" {
		return // uncompressed answers are checked
	}
	err := openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: response.StatusCode, Header: response.Header,
		Body: io.NopCloser(bytes.NewReader(body)), Options: input.Options,
	})
	assert.NoError(c.t, err, "%s answered %d: %s", r.URL, response.StatusCode, body)
	if response.StatusCode >= 400 {
		checkError(c.t, response.StatusCode, body)
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/csv") {
		checkCSV(c.t, route, string(body))
	}
}

// checkUndeclared checks answers to methods and paths that the document does not declare. Their
// errors have the declared body.
func (c contractCheck) checkUndeclared(r *http.Request, response *http.Response, body []byte) {
	if r.Method == http.MethodHead {
		assert.Empty(c.t, body)
		return
	}
	if response.StatusCode < 400 {
		return
	}
	var value any
	assert.NoError(c.t, json.Unmarshal(body, &value))
	assert.NoError(c.t, c.document.Components.Schemas["api.ErrorDto"].Value.VisitJSON(value))
}

// checkCSV checks the header row and the type of every cell against the document's x-csv-columns.
func checkCSV(t *testing.T, route *routers.Route, body string) {
	t.Helper()
	schema := route.Operation.Responses.Status(http.StatusOK).Value.Content.Get("text/csv").
		Schema.Value
	columns, ok := schema.Extensions["x-csv-columns"].([]any)
	if !assert.True(t, ok, "the document says what the columns are") {
		return
	}
	reader := csv.NewReader(strings.NewReader(body))
	reader.FieldsPerRecord = len(columns)
	rows, err := reader.ReadAll()
	assert.NoError(t, err)
	assert.NotContains(t, body, "\r")
	for i, raw := range columns {
		column, _ := raw.(map[string]any)
		pattern := regexp.MustCompile(column["pattern"].(string))
		assert.Equal(t, column["name"], rows[0][i])
		for _, row := range rows[1:] {
			if row[i] == "" {
				assert.Equal(t, true, column["empty"], "%s is empty", column["name"])
			} else if !pattern.MatchString(row[i]) {
				t.Errorf("%s: %q does not match %s", column["name"], row[i], pattern)
			}
		}
	}
}

// specification, 4.5: the served document is valid and has the four operations. Each declares its
// errors, and when to retry.
func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	document := documentOf(t, start(t).url)
	require.NoError(t, document.Validate(t.Context()))
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
