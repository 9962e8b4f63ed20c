package apptest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/demo"
	"dg/modules/reports/sealer"
)

// Sealable is a number of plays of a fork that is large enough for segments.
const Sealable = sealer.SealFrom + 1_000

// History is an import file with plays, and the ids and period to read them by.
type History struct {
	File  string
	IDs   demo.ScaleIDs
	Plays int
	Query string // the period of all plays
}

// NewHistory writes a file of that many plays. Each seed is another organisation.
func NewHistory(t *testing.T, seed uint64, plays int) History {
	t.Helper()
	return HistoryOf(t, seed, time.Now().UTC(),
		demo.Size{Plays: plays, Players: 500, Days: 300, Groups: []int{4}})
}

// HistoryOf writes a file of that size, which ends at an instant.
func HistoryOf(t *testing.T, seed uint64, end time.Time, size demo.Size) History {
	t.Helper()
	base, err := ReachableFolder() // in memory: a soak writes gigabytes
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	h := History{File: filepath.Join(base, "history.ndjson"), Plays: size.Plays}
	f, err := os.Create(h.File)
	require.NoError(t, err)
	h.IDs, err = demo.Scale(f, seed, end, size)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	h.Query = fmt.Sprintf("?from=%s&to=%s", end.AddDate(0, 0, -size.Days-1).Format(time.DateOnly),
		end.Format(time.DateOnly))
	return h
}

// ImportInto imports the history.
func (h History) ImportInto(t *testing.T, dir string) {
	t.Helper()
	ImportFile(t, dir, h.File)
}

// ImportFile imports a file with the binary, and returns its output.
func ImportFile(t *testing.T, dir, file string) string {
	t.Helper()
	require.NoError(t, makeDatabase(dir))
	return Succeeds(t, dir, "import", file)
}

// CSV is the path of the export of all plays.
func (h History) CSV() string {
	return "/api/v1/forks/" + h.IDs.Forks[0].String() + "/exports/csv" + h.Query
}
