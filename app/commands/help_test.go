package commands

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// `dg --help` is the reference of the settings (config's doc): every variable is named with its
// flag, by the help of each command that reads it, and by that of the program.
func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	exit := -1
	model := parser(t.Context(), new(cli), Stdio{}, &exit).Model
	helpOfAll := helpOf(t, "--help")
	settings := map[string]bool{}
	for _, command := range model.Children {
		help := helpOf(t, command.Name, "--help")
		for _, flag := range append(model.Flags, command.Flags...) {
			for _, env := range flag.Envs {
				settings[env] = true
				require.Contains(t, helpOfAll, env)
				if len(command.Children) == 0 {
					require.Contains(t, help, "$"+env, "dg %s --help", command.Name)
					require.Regexp(t, "--"+flag.Name+`\b`, help, "dg %s --help", command.Name)
				}
			}
		}
	}
	require.Len(t, settings, 15)
	for _, name := range []string{"PG_BIN", "DG_DATABASE_URL_FILE", "DG_SECRET_KEY_PREVIOUS_FILE"} {
		require.Contains(t, helpOfAll, name)
	}
}

// helpOf is what dg prints to arguments that ask for help.
func helpOf(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	require.Zero(t, Run(t.Context(), args, Stdio{Stdout: &out, Stderr: io.Discard}))
	return out.String()
}
