package system

import (
	"testing"

	"dg/app/apptest"
)

// runInstead may replace the process by another program, which a test of one platform starts.
var runInstead = func() {}

func TestMain(m *testing.M) {
	runInstead()
	apptest.Main(m)
}
