package commands

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// dg serve lets more threads run than there are processors, and collects less garbage, unless its
// environment says how.
func TestEnvironmentOverridesTheRuntimesTuning(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	percent := debug.SetGCPercent(90)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(before)
		debug.SetGCPercent(percent)
	})
	t.Setenv("GOMAXPROCS", "2")
	t.Setenv("GOGC", "90")
	tuneRuntime()
	require.Equal(t, before, runtime.GOMAXPROCS(0))
	require.Equal(t, 90, debug.SetGCPercent(90))
	t.Setenv("GOMAXPROCS", "")
	t.Setenv("GOGC", "")
	tuneRuntime()
	require.Equal(t, threadsOfProcessor*before, runtime.GOMAXPROCS(0))
	require.Equal(t, collectAt, debug.SetGCPercent(collectAt))
}
