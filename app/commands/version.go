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

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(p Stdio) error {
	return p.print("%s\n", versionLine())
}
