package publicapi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/games"
)

// storedDocument reads openapi.json.
func storedDocument(t *testing.T) *openapi3.T {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromFile("openapi.json")
	require.NoError(t, err)
	return document
}

// The document has nothing that generators of clients cannot compile, or that makes their clients
// break when the API grows.
func TestDocumentCompilesIntoClients(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(source, &document))
	eachObject("", document, func(at string, o map[string]any) {
		format, _ := o["format"].(string)
		if strings.HasPrefix(format, "date") {
			assert.NotContains(t, o, "pattern",
				"%s: generated Python and C# parse the day before they match", at)
		}
		if o["type"] == "integer" {
			assert.Contains(t, []string{"int32", "int64"}, format, at)
		}
		if strings.HasSuffix(at, "/properties/id") || strings.HasSuffix(at, "/properties/gameId") {
			assert.Contains(t, o, "maxLength", at)
		}
		if one, ok := o["allOf"].([]any); ok {
			assert.Greater(t, len(one), 1, "%s: generators name the wrapped type twice", at)
		}
		assert.NotEqual(t, false, o["additionalProperties"],
			"%s: a field that is added later would break strict clients", at)
	})
}

// Each operation declares its parameters and errors itself.
func TestOperationsDeclareTheirErrors(t *testing.T) {
	t.Parallel()
	document := storedDocument(t)
	for path, item := range document.Paths.Map() {
		assert.True(t, strings.HasPrefix(path, "/api/v1/"), path)
		assert.Empty(t, item.Parameters, "%s: some generators read the operation alone", path)
		for _, operation := range item.Operations() {
			answers := operation.Responses.Map()
			for _, status := range []string{
				"200", "400", "401", "403", "404", "405", "429", "500", "503", "default",
			} {
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

// eachObject visits the objects in value, without examples and extensions. at is a JSON pointer.
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

// rules.md, Formats: enums of answers may grow. x-extensible-enum has the values of specification
// 2.4, x-enum-varnames their constants. make contract proves that clients accept later values.
func TestEnumsOfAnswersMayGrow(t *testing.T) {
	t.Parallel()
	schemas := storedDocument(t).Components.Schemas
	for name, want := range map[string]string{
		"api.ForkStatus":       "active archived",
		"authz.ForkVisibility": "public organization restricted",
		"common.ContentLocale": "en fr es pt de",
		"org.ReportingMode":    "pseudonymous nominative",
		"game.SkillId":         skillIDs(),
		"api.ErrorKind":        "",
		"api.ErrorCode":        "",
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

func skillIDs() string {
	var ids []string
	for skill := range games.SkillCount {
		ids = append(ids, games.Skill(skill).ID())
	}
	return strings.Join(ids, " ")
}

// specification, 9: the version is that of the release. The description is short, because
// generators put it at the head of each file.
func TestInfoOfTheDocument(t *testing.T) {
	t.Parallel()
	info := storedDocument(t).Info
	require.LessOrEqual(t, utf8.RuneCountInString(info.Description), 100)
	changes, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	release := regexp.MustCompile(`(?m)^## v?(\d+\.\d+\.\d+)`).FindSubmatch(changes)
	require.NotNil(t, release, "the changelog names the release")
	require.Equal(t, string(release[1]), info.Version)
}
