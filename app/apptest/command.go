package apptest

import (
	"context"
	"strings"
	"testing"
	"time"

	"dg/app/commands"
)

// Command runs dg in this process, on nothing, and returns what it printed.
func Command(t *testing.T, args ...string) (status int, out, err string) {
	t.Helper()
	var stdout, stderr Buffer
	// what does not say what is wrong would serve for ever
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	status = commands.Run(ctx, args, commands.Stdio{
		Stdin:  strings.NewReader(""),
		Stdout: &stdout,
		Stderr: &stderr,
	})
	return status, stdout.String(), stderr.String()
}
