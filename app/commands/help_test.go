package commands

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// settingsOf lists the settings of a command with their flags, from the struct that kong reads.
func settingsOf(typ reflect.Type) map[string]string {
	settings := map[string]string{}
	for f := range fields(typ) {
		if env := f.Tag.Get("env"); env != "" {
			name := f.Tag.Get("name")
			if name == "" {
				name = kebab(f.Name)
			}
			settings[env] = "--" + name
		}
	}
	return settings
}

func fields(typ reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(typ) {
			if !f.Anonymous && !yield(f) {
				return
			}
		}
	}
}

func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// `dg --help` is the reference of the settings (config's doc): every variable is named with its
// flag, by the help of each command that reads it, and by that of the program.
func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	general := settingsOf(reflect.TypeFor[cli]())
	require.Len(t, general, 3)
	all := map[string]string{}
	for name, typ := range map[string]reflect.Type{
		"serve": reflect.TypeFor[serveCmd](), "migrate": reflect.TypeFor[migrateCmd](),
		"import": reflect.TypeFor[importCmd](), "demo": reflect.TypeFor[demoCmd](),
	} {
		help := helpOf(t, name, "--help")
		own := settingsOf(typ)
		require.GreaterOrEqual(t, len(own), 3, name)
		for _, settings := range []map[string]string{own, general} {
			for env, flag := range settings {
				require.Contains(t, help, "$"+env, "dg %s --help", name)
				require.Regexp(t, flag+`\b`, help, "dg %s --help", name)
				all[env] = flag
			}
		}
	}
	require.Len(t, all, 19)
	help := helpOf(t, "--help")
	for env := range all {
		require.Contains(t, help, env, "dg --help")
	}
	for _, name := range []string{"PG_BIN", "DG_DATABASE_URL_FILE", "DG_SECRET_KEY_PREVIOUS_FILE"} {
		require.Contains(t, help, name, "dg --help")
	}
}

// helpOf is what dg prints to the arguments, which ask for help.
func helpOf(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	require.Zero(t, Run(t.Context(), args, Stdio{Stdout: &out, Stderr: io.Discard}))
	return out.String()
}
