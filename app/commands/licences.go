package commands

import (
	_ "embed"
	"fmt"
)

//go:embed notices.txt
var notices string

type licencesCmd struct{}

// Run prints the licences of the third-party software in the binary.
func (licencesCmd) Run(p Stdio) error {
	_, err := fmt.Fprint(p.Stdout, notices)
	return err
}
