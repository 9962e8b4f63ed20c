package commands

import (
	"fmt"
	"runtime"
)

// version is set when a release is built.
var version = "dev"

func versionLine() string {
	return fmt.Sprintf("dg %s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}
