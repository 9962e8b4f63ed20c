package configs_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A restart of the unit leaves the embedded PostgreSQL, and its shared memory, to a running dg import.
// A start ends, and a stop has time for the longest shutdown delay.
func TestUnitLeavesADatabaseInUse(t *testing.T) {
	unit := string(content(t, "dg.service"))
	require.Contains(t, unit, "\nKillMode=process\n")
	require.NotContains(t, unit, "\nRemoveIPC=yes")
	require.Contains(t, unit, "\nTimeoutStartSec=300\n")
	require.Contains(t, unit, "\nTimeoutStopSec=80\n")
}
