package commands

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// dg serve lets more threads run than there are processors, unless its environment says how many.
func TestThreadsAreRaisedUnlessTheEnvironmentSaysHowMany(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	t.Setenv("GOMAXPROCS", "2")
	raiseThreads()
	require.Equal(t, before, runtime.GOMAXPROCS(0))
	t.Setenv("GOMAXPROCS", "")
	raiseThreads()
	require.Equal(t, threadsOfProcessor*before, runtime.GOMAXPROCS(0))
}
