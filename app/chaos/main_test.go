package chaos

import (
	"testing"

	"dg/app/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }
