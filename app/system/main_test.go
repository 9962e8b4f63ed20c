package system

import (
	"os"
	"strings"
	"testing"

	"dg/app/apptest"
)

func TestMain(m *testing.M) {
	if user, allowed, is := strings.Cut(os.Getenv(filterVariable), " "); is {
		_ = os.Unsetenv(filterVariable)
		panic(runFiltered(user, allowed))
	}
	apptest.Main(m)
}
