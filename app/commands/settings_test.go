package commands_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// A command-line mistake is reported in one clear line on standard error, with exit status 2.
func TestCommandLineMistakesAreExplained(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"serve --prot 8080": "unknown flag --prot",
		"serve extra":       "unexpected argument extra",
		"sevre":             "sevre",
		"":                  "expected one of",
		"import":            "file",
		"audit prune --export x --before 2025-01-15": "--before",
		"serve --addr":           "--addr",
		"serve --log-level=loud": "--log-level must be one of",
		"health --demo":          "unknown flag --demo",
		"database postgres://dg_owner:hunter2@127.0.0.1/dg":       "unexpected argument a URL, not shown",
		"serve --trusted-proxies=https://dg:hunter2@example.org/": "--trusted-proxies",
	} {
		status, out, err := apptest.RunCommand(t, strings.Fields(line)...)
		require.Equal(t, 2, status, "dg %s", line)
		require.Regexp(t, `(^|\n)dg: .*`+says+`.*\n$`, err, "dg %s", line)
		require.NotContains(t, err, "hunter2")
		require.Empty(t, out)
	}
}

// dg --version prints the version, Go's version and the platform.
func TestVersionIsPrinted(t *testing.T) {
	t.Parallel()
	status, out, err := apptest.RunCommand(t, "--version")
	require.Zero(t, status)
	require.Regexp(t, `^dg \S+ \(go1\.\S+, \w+/\w+\)\n$`, out)
	require.Empty(t, err)
}
