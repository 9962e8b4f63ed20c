package main

import (
	_ "embed"
	"fmt"
)

//go:embed notices.txt
var notices string

type licencesCmd struct{}

// Run prints the licences of the third-party software in the binary.
func (licencesCmd) Run(p stdio) error {
	_, err := fmt.Fprint(p.stdout, notices)
	return err
}
