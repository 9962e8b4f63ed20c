package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRunIsComparedWithASavedOne(t *testing.T) {
	t.Parallel()
	b := &bench{folder: t.TempDir(), report: newReport(io.Discard)}
	b.report.atMost("a", inMilliseconds, figures(3), figures(2), 2)
	b.report.faster("b", figures(1), figures(4), 2)
	require.NoError(t, b.save())
	before, err := readSaved(filepath.Join(b.folder, lastRun))
	require.NoError(t, err)

	r := newReport(io.Discard)
	r.compareWith(before)
	r.atMost("a", inMilliseconds, figures(2), figures(2), 2)
	r.faster("b", figures(1), figures(2), 2)
	r.faster("c", figures(1), figures(2), 2)
	var out strings.Builder
	r.write(&out)
	require.Regexp(t, `(?m)^\| work +\| .*\| before, change \(above 1 is better\) +\|$`,
		out.String())
	require.Regexp(t, `(?m)^\| a +\| .*\| 1\.50, x 1\.50 +\|$`, out.String())
	require.Regexp(t, `(?m)^\| b +\| .*\| 4, x 0\.50 +\|$`, out.String())
	require.Regexp(t, `(?m)^\| c +\| .*\| new +\|$`, out.String())
	_, err = readSaved(filepath.Join(b.folder, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestReadmeGetsTheTable(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "README.md")
	require.NoError(t,
		os.WriteFile(name, []byte("# A\n\n"+tableBegins+"\nold\n"+tableEnds+"\n\nB\n"), 0o600))
	r := newReport(io.Discard)
	r.postgres = "15.1 (x)"
	r.faster("a", figures(1), figures(4), 2)
	r.faster("b", figures(1), figures(4), 2)
	r.write(io.Discard) // the terminal's comes first, and leaves the table as it is
	require.NoError(t, r.writeReadme(name))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Regexp(t,
		`(?s)^# A\n\n`+tableBegins+
			`\n\nPostgreSQL 15\.1 .*\.\n\n\| work [^\n]*\n\| ---[^\n]*\n\| a [^\n]*\n\| b [^\n]*\n\n`+
			tableEnds+"\n\nB\n$",
		string(text))
	require.NoError(t, os.WriteFile(name, []byte("# A\n"), 0o600))
	require.ErrorContains(t, r.writeReadme(name), "has no lines")
}
