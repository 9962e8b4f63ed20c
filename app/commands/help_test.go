package commands

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// `dg serve --help` is the reference of the settings (config's doc): it names every variable of every
// command, with its flag.
func TestHelpNamesEverySetting(t *testing.T) {
	t.Parallel()
	exit := -1
	model := parser(t.Context(), new(cli), Stdio{}, &exit).Model
	var out bytes.Buffer
	require.Zero(t, Run(t.Context(), []string{"serve", "--help"}, Stdio{Stdout: &out, Stderr: io.Discard}))
	help := out.String()
	settings := map[string]bool{}
	for _, command := range model.Children {
		for _, flag := range append(model.Flags, command.Flags...) {
			for _, env := range flag.Envs {
				settings[env] = true
				require.Contains(t, help, "$"+env)
				require.Regexp(t, "--"+flag.Name+`\b`, help)
				if flag.Tag.Has("secret") {
					require.Contains(t, help, env+fileSuffix)
				}
			}
		}
	}
	require.Len(t, settings, 16)
	require.Contains(t, help, "PG_BIN")
}
