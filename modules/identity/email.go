package identity

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// EmailKey is the e-mail as it is compared: in NFC and lower case, so that an e-mail is unique in any case.
func EmailKey(email string) string {
	return norm.NFC.String(strings.ToLower(norm.NFC.String(email)))
}
