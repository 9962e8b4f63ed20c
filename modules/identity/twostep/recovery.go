package twostep

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// Recovery codes have 80 random bits, so they are stored with a fast hash, SHA-256.
const (
	RecoveryCodes  = 10
	recoveryLength = 16
	// Crockford's base32: no i, l, o or u to misread
	recoveryAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
)

var recoveryEncoding = base32.NewEncoding(recoveryAlphabet)

// NewRecoveryCode returns a code such as 7k3m-9qxa-c4de-h8rt.
func NewRecoveryCode() string {
	var b [recoveryLength * 5 / 8]byte
	_, _ = rand.Read(b[:]) // never fails
	c := recoveryEncoding.EncodeToString(b[:])
	return strings.Join([]string{c[:4], c[4:8], c[8:12], c[12:]}, "-")
}

// lookalikes replaces letters that look like digits.
var lookalikes = strings.NewReplacer("o", "0", "i", "1", "l", "1")

// ParseRecoveryCode returns a recovery code as it is hashed; ok is false for any other text, such as
// a code of an authenticator app.
func ParseRecoveryCode(text string) (code string, ok bool) {
	if len(text) > 4*recoveryLength {
		return "", false
	}
	code = lookalikes.Replace(strings.ToLower(normaliseCode(text)))
	return code, len(code) == recoveryLength && strings.Trim(code, recoveryAlphabet) == ""
}

// HashRecoveryCode returns the stored hash of a code, salted with the person.
func HashRecoveryCode(personID, code string) []byte {
	h := sha256.Sum256([]byte(personID + " " + code))
	return h[:]
}
