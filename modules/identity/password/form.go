package password

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"dg/platform/apperr"
)

// The bounds of a new password. It needs no particular kinds of characters.
const (
	minPassword = 12   // code points
	maxPassword = 1000 // bytes
)

// checkForm checks the encoding and the length of a new password.
func checkForm(password string) error {
	switch p := Normalise(password); {
	case !utf8.ValidString(p):
		return apperr.NewField("new",
			"The new password contains invalid characters. Use a different one.")
	case utf8.RuneCountInString(p) < minPassword:
		return apperr.NewField("new", "The new password is too short. Use at least %d characters.",
			minPassword)
	case len(password) > maxPassword:
		return apperr.NewField("new", "The new password is too long. Use at most %d bytes.",
			maxPassword)
	}
	return nil
}

// Normalise returns a password as it is hashed, in NFC: keyboards compose accents differently.
func Normalise(password string) string { return norm.NFC.String(password) }
