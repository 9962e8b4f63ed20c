package identity

import (
	"encoding/base32"
	"strings"
)

// minSecret is the shortest TOTP secret that is taken: 80 bits, what the common authenticators make.
const minSecret = 10

// TOTPSecretExpected says what a TOTP secret is, for an error.
const TOTPSecretExpected = "a secret of at least 80 bits in base32"

// TOTPSecret returns the secret as it is stored, in upper case and without padding, and whether it is one.
func TOTPSecret(text string) (string, bool) {
	secret := strings.ToUpper(strings.TrimRight(text, "="))
	if strings.ContainsAny(secret, "\r\n") { // the decoder skips them
		return "", false
	}
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	return secret, err == nil && len(b) >= minSecret && len(text) <= 200
}
