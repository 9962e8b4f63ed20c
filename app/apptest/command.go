package apptest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/commands"
	"dg/platform/testkit/tb"
)

// RequireSuccess runs a command on the data folder dir and requires exit status 0. It returns the output.
func RequireSuccess(t *testing.T, dir string, args ...string) (output string) {
	return RequireExit(t, 0, append(args, "--data-dir", dir))
}

// RequireRefusal is like RequireSuccess, but requires exit status 1 and an output with the message.
func RequireRefusal(t *testing.T, message, dir string, args ...string) (output string) {
	output = RequireExit(t, 1, append(args, "--data-dir", dir))
	require.Contains(t, output, message, "%v", args)
	return output
}

func RequireExit(t *testing.T, status int, args []string) (output string) {
	c := Launch(t, args...)
	require.Equal(t, status, c.ExitStatus(10*time.Minute), "%v: %s", args, c.Log.String())
	return c.Out.String() + c.Log.String()
}

// RunCommand runs dg in this process with empty standard input.
func RunCommand(t *testing.T, args ...string) (status int, stdout, stderr string) {
	// ends a dg serve that starts although the test expects an error
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var out, log tb.Buffer
	status = commands.Run(ctx, args, commands.Stdio{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &log})
	return status, out.String(), log.String()
}
