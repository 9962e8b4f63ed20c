package publicapi_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"dg/modules/games"
)

func storedDocument(t *testing.T) *openapi3.T {
	document, err := openapi3.NewLoader().LoadFromFile("openapi.json")
	require.NoError(t, err)
	return document
}

// rules.md, Formats: enums of answers may grow. x-extensible-enum has the values of specification
// 2.4, x-enum-varnames their constants. make contract proves that clients accept later values.
func TestEnumsOfAnswersMayGrow(t *testing.T) {
	t.Parallel()
	schemas := storedDocument(t).Components.Schemas
	var skillIDs []string
	for skill := range games.SkillCount {
		skillIDs = append(skillIDs, games.Skill(skill).ID())
	}
	for name, want := range map[string]string{
		"api.ForkStatus":       "active archived",
		"authz.ForkVisibility": "public organization restricted",
		"common.ContentLocale": "en fr es pt de",
		"org.ReportingMode":    "pseudonymous nominative",
		"game.SkillId":         strings.Join(skillIDs, " "),
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
