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
	bytes := debug.SetMemoryLimit(1 << 40)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(before)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(bytes)
	})
	t.Setenv("GOMAXPROCS", "2")
	t.Setenv("GOGC", "90")
	t.Setenv("GOMEMLIMIT", "1TiB")
	tuneRuntime()
	require.Equal(t, before, runtime.GOMAXPROCS(0))
	require.Equal(t, 90, debug.SetGCPercent(90))
	require.Equal(t, int64(1<<40), debug.SetMemoryLimit(-1))
	t.Setenv("GOMAXPROCS", "")
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	tuneRuntime()
	require.Equal(t, threadsPerProcessor*before, runtime.GOMAXPROCS(0))
	require.Equal(t, gcPercent, debug.SetGCPercent(gcPercent))
	require.Equal(t, int64(memoryLimit), debug.SetMemoryLimit(-1))
}
