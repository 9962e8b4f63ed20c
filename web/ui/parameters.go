package ui

import (
	"strings"

	"dg/platform/apperr"
)

const maxParam = 64 // bytes that are kept of each parameter

// Repeated is the error of a parameter that is repeated, since it is unknown which one was meant.
func Repeated(name string) error {
	return apperr.NewField(name,
		"The parameter “%s” is repeated in the address of this page. Use it once.", name)
}

// Shortened is what is kept of a parameter.
func Shortened(text []byte) string {
	return strings.ToValidUTF8(string(text[:min(len(text), maxParam)]), "\uFFFD")
}
