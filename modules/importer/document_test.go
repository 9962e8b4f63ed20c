package importer_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
)

// configs/deploy/import.md names every type with all of its fields.
func TestDocumentNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("../../configs/deploy/import.md")
	require.NoError(t, err)
	for name, object := range map[string]any{
		"organisation": org.ImportedOrganisation{},
		"user":         identity.ImportedUser{},
		"membership":   org.ImportedMembership{},
		"game":         games.ImportedGame{},
		"fork":         games.ImportedFork{},
		"player":       org.ImportedPlayer{},
		"group":        org.ImportedGroup{},
		"play":         games.ImportedPlay{},
	} {
		row := regexp.MustCompile("(?m)^\\| `" + name + "` \\| .*$").FindString(string(text))
		for field := range reflect.TypeOf(object).Fields() {
			if column, _, _ := strings.Cut(field.Tag.Get("json"), ","); column != "" {
				require.Contains(t, row, "`"+column+"`", name)
			}
		}
	}
}
