package publicapi_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What generators of clients stumble over, or would freeze into clients that break when the API grows.
func TestDocumentCompilesIntoClients(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(source, &document))
	eachObject("", document, func(at string, o map[string]any) {
		format, _ := o["format"].(string)
		if strings.HasPrefix(format, "date") {
			assert.NotContains(t, o, "pattern", "%s: generated Python and C# cannot match a day that is no longer text", at)
		}
		if o["type"] == "integer" {
			assert.Contains(t, []string{"int32", "int64"}, format, at)
		}
		if strings.HasSuffix(at, "/properties/id") || strings.HasSuffix(at, "/properties/gameId") {
			assert.Contains(t, o, "maxLength", at)
		}
		if one, ok := o["allOf"].([]any); ok {
			assert.Greater(t, len(one), 1, "%s: generators give what it wraps a second name", at)
		}
		assert.NotEqual(t, false, o["additionalProperties"], "%s: a field that is added later would break strict clients", at)
	})
}

// Each operation stands for itself, with each of its errors.
func TestOperationsDeclareTheirErrors(t *testing.T) {
	t.Parallel()
	document := documentOf(t, start(t).url)
	for path, item := range document.Paths.Map() {
		assert.True(t, strings.HasPrefix(path, "/api/v1/"), path)
		assert.Empty(t, item.Parameters, "%s: some generators read the operation alone", path)
		for _, operation := range item.Operations() {
			answers := operation.Responses.Map()
			for _, status := range []string{"200", "400", "401", "403", "404", "405", "429", "500", "503", "default"} {
				require.Contains(t, answers, status, path)
			}
			for status, answer := range answers {
				assert.NotContains(t, status, "X", path)
				assert.Contains(t, answer.Value.Headers, "Vary", "%s %s", path, status)
				if slices.Contains([]string{"429", "503"}, status) {
					require.Contains(t, answer.Value.Headers, "Retry-After", "%s %s", path, status)
					assert.True(t, answer.Value.Headers["Retry-After"].Value.Required)
				}
			}
			for _, p := range operation.Parameters {
				if strings.HasSuffix(p.Value.Name, "Id") && p.Value.In != "header" {
					assert.NotNil(t, p.Value.Schema.Value.MaxLength, p.Value.Name)
				}
			}
		}
	}
}

// eachObject visits value and what it holds; at is a JSON pointer. Examples and extensions are no schemas.
func eachObject(at string, value any, visit func(at string, o map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(at, v)
		for name, child := range v {
			if name != "example" && name != "examples" && !strings.HasPrefix(name, "x-") {
				eachObject(at+"/"+name, child, visit)
			}
		}
	case []any:
		for _, child := range v {
			eachObject(at+"/-", child, visit)
		}
	}
}
