package apptest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports/sealer"
	"dg/platform/embeddedpg"
	"dg/platform/testkit"
)

// SealablePlays is a number of plays that gives a fork segments.
const SealablePlays = sealer.MinPlays + 1_000

// ImportFile is an import file with plays. IDs and Query select its plays.
type ImportFile struct {
	Path  string
	IDs   testkit.ImportFileIDs
	Plays int
	Query string // the query with the period of all plays
}

// NewImportFile writes an import file with the plays. Each seed creates another organisation.
func NewImportFile(t *testing.T, seed uint64, plays int) ImportFile {
	base := reachableFolder(t) // in memory, because a soak test writes gigabytes
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	i := ImportFile{Path: filepath.Join(base, "import.ndjson"), Plays: plays, Query: LastDaysQuery(302)}
	f, err := os.Create(i.Path)
	require.NoError(t, err)
	i.IDs, err = testkit.WriteImportFile(f, seed, time.Now().UTC(),
		testkit.ImportFileSize{Plays: plays, Players: 500, Days: 300, Groups: []int{4}})
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return i
}

func (i ImportFile) ImportInto(t *testing.T, dir string) string {
	if !embeddedpg.HasData(dir) { // only dg serve and dg demo create a database
		ServeOn(t, dir).Stop()
	}
	return RequireSuccess(t, dir, "import", i.Path)
}

func LastDaysQuery(n int) string {
	now := time.Now().UTC()
	return fmt.Sprintf("?from=%s&to=%s", now.AddDate(0, 0, 1-n).Format(time.DateOnly), now.Format(time.DateOnly))
}

func (i ImportFile) CSVPath() string {
	return "/api/v1/forks/" + i.IDs.Fork.String() + "/exports/csv" + i.Query
}

// SoakEnabled reports whether tests run at the sizes of make soak.
var SoakEnabled = os.Getenv("DG_SOAK") == "1"

// ChaosEnabled reports whether chaos tests run at full size (make chaos, make soak).
var ChaosEnabled = SoakEnabled || os.Getenv("DG_CHAOS") == "1"

// PickSize returns the size for make test, make chaos or make soak.
func PickSize(test, chaos, soak int) int {
	switch {
	case SoakEnabled:
		return soak
	case ChaosEnabled:
		return chaos
	}
	return test
}
