package configs_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// If the unit restarts, a running dg import keeps the embedded PostgreSQL and its shared memory. The
// start has a timeout, and a stop has time for the longest shutdown delay.
func TestUnitKeepsADatabaseInUse(t *testing.T) {
	unit := string(readDeployFile(t, "dg.service"))
	require.Contains(t, unit, "\nKillMode=process\n")
	require.NotContains(t, unit, "\nRemoveIPC=yes")
	require.Contains(t, unit, "\nTimeoutStartSec=300\n")
	require.Contains(t, unit, "\nTimeoutStopSec=80\n")
}
