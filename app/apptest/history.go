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

// History is an import file with plays. IDs and Query select its plays.
type History struct {
	File  string
	IDs   testkit.HistoryIDs
	Plays int
	Query string // the query with the period of all plays
}

// NewHistory writes an import file with the plays. Each seed creates another organisation.
func NewHistory(t *testing.T, seed uint64, plays int) History {
	base := reachableFolder(t) // in memory, because a soak test writes gigabytes
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	h := History{File: filepath.Join(base, "history.ndjson"), Plays: plays, Query: LastDaysQuery(302)}
	f, err := os.Create(h.File)
	require.NoError(t, err)
	h.IDs, err = testkit.WriteHistory(f, seed, time.Now().UTC(),
		testkit.HistorySize{Plays: plays, Players: 500, Days: 300, Groups: []int{4}})
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return h
}

func (h History) ImportInto(t *testing.T, dir string) string {
	if !embeddedpg.HasData(dir) { // only dg serve and dg demo create a database
		ServeOn(t, dir).Stop()
	}
	return RequireSuccess(t, dir, "import", h.File)
}

func LastDaysQuery(n int) string {
	now := time.Now().UTC()
	return fmt.Sprintf("?from=%s&to=%s", now.AddDate(0, 0, 1-n).Format(time.DateOnly), now.Format(time.DateOnly))
}

func (h History) CSVPath() string {
	return "/api/v1/forks/" + h.IDs.Fork.String() + "/exports/csv" + h.Query
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
