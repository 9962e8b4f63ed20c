package importer

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// configs/deploy/import.md names every type with all of its fields.
func TestDocumentNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("../../configs/deploy/import.md")
	require.NoError(t, err)
	for name, object := range map[string]any{
		"organisation": organisation{},
		"user":         user{},
		"membership":   membership{},
		"game":         game{},
		"fork":         fork{},
		"player":       player{},
		"group":        group{},
		"play":         play{},
	} {
		row := regexp.MustCompile("(?m)^\\| `" + name + "` \\| .*$").FindString(string(text))
		for field := range reflect.TypeOf(object).Fields() {
			if column, _, _ := strings.Cut(field.Tag.Get("json"), ","); column != "" {
				require.Contains(t, row, "`"+column+"`", name)
			}
		}
	}
}
