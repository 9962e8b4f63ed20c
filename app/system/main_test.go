package system

import (
	"testing"

	"dg/app/apptest"
)

func TestMain(m *testing.M) {
	runInstead() // where a test of one platform asks for it
	apptest.Main(m)
}
