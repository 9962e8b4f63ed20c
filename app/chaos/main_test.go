package chaos

import (
	"fmt"
	"os"
	"testing"

	"dg/app/apptest"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(asideVariable); name != "" {
		if err := beAside(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	apptest.Main(m, printSpared)
}
