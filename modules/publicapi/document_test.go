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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/games"
)

// What generators of clients stumble over, or would freeze into clients that break when the API
// grows.
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
				"%s: generated Python and C# cannot match a day that is no longer text", at)
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
		assert.NotEqual(t, false, o["additionalProperties"],
			"%s: a field that is added later would break strict clients", at)
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

// eachObject visits value and what it holds; at is a JSON pointer. Examples and extensions are no
// schemas.
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

// rules.md, Formats, Enums: a later value must not break a generated client, and an enum would.
// What the values are today is told beside, in the words of the specification (2.4), with names for
// constants. That clients accept later ones is proved by make contract.
func TestEnumsOfAnswersMayGrow(t *testing.T) {
	t.Parallel()
	schemas := documentOf(t, start(t).url).Components.Schemas
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
	require.Nil(t, schemas["api.ForkStatsDto"].Value.Properties["skills"].Value.MaxItems,
		"a row for each skill, of which there will be more")
}

func skillIDs() string {
	var ids []string
	for skill := range games.SkillCount {
		ids = append(ids, games.Skill(skill).ID())
	}
	return strings.Join(ids, " ")
}

// The version is that of the release, and generators put the description at the head of each file.
func TestInfoOfTheDocument(t *testing.T) {
	t.Parallel()
	info := documentOf(t, start(t).url).Info
	require.LessOrEqual(t, utf8.RuneCountInString(info.Description), 100)
	changes, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	release := regexp.MustCompile(`(?m)^(?:It becomes|##) v?(\d+\.\d+\.\d+)`).FindSubmatch(changes)
	require.NotNil(t, release, "the changelog names the release that comes, or the last one")
	require.Equal(t, string(release[1]), info.Version)
}
