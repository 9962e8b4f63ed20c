package apptest

import (
	"os"
	"testing"
)

// Soak says whether the sizes are those of a long run (make soak) and not those of every run.
var Soak = os.Getenv("DG_SOAK") == "1"

// Sized picks a size: of every run, or of a soak.
func Sized(usual, soaked int) int {
	if Soak {
		return soaked
	}
	return usual
}

// Chaos says whether the suites of chaos have their full sizes (make chaos, make soak) and not
// those of every run.
var Chaos = Soak || os.Getenv("DG_CHAOS") == "1"

// ChaosSize picks a size: of every run, of make chaos, or of make soak.
func ChaosSize(cut, chaotic, soaked int) int {
	switch {
	case Soak:
		return soaked
	case Chaos:
		return chaotic
	}
	return cut
}

// NeedsProc skips where the memory of a process cannot be seen.
func NeedsProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
	}
}
