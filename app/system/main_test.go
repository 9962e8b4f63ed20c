package system

import (
	"testing"

	"dg/app/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }
