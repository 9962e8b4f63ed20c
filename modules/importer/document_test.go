package importer

import (
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// configs/deploy/import.md names every type with all of its fields.
func TestDocumentNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("../../configs/deploy/import.md")
	require.NoError(t, err)
	for _, object := range []any{
		organisation{}, user{}, membership{}, game{}, fork{}, player{}, group{}, play{},
	} {
		kind := reflect.TypeOf(object)
		row := regexp.MustCompile("(?m)^\\| `" + kind.Name() + "` \\| .*$").FindString(string(text))
		for field := range kind.Fields() {
			require.Contains(t, row, "`"+field.Tag.Get("json")+"`", kind.Name())
		}
	}
}
