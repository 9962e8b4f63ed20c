package commands

import _ "embed"

//go:embed notices.txt
var notices string

type licencesCmd struct{}

// Run prints the licences of the third-party software in the binary.
func (licencesCmd) Run(p Stdio) error {
	return p.print("%s", notices)
}
