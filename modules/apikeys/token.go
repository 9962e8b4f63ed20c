package apikeys

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"math/big"
	"regexp"
	"strings"
)

// A token is dg_live_<id>_<secret>. The id has 22 base62 characters. The secret has 43 random
// characters (256 bits) and a checksum of six, the CRC-32 (IEEE) of the text before it. The
// checksum is for secret scanners and clients; the server does not verify it.
const (
	TokenPrefix    = "dg_live_"
	TokenLength    = len(TokenPrefix) + idLength + 1 + randomLength + checksumLength
	idLength       = 22
	randomLength   = 43
	checksumLength = 6
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// Token is a key's id and secret; the secret includes the checksum.
type Token struct{ ID, Secret string }

// idInTextPattern finds the id of a token within a text, even if the token is truncated. The other
// patterns match whole strings.
var (
	tokenPattern    = regexp.MustCompile(`^dg_live_([0-9A-Za-z]{22})_([0-9A-Za-z]{49})$`)
	idPattern       = regexp.MustCompile(`^[0-9A-Za-z]{22}$`)
	idInTextPattern = regexp.MustCompile(`dg_live_([0-9A-Za-z]{22})(?:[^0-9A-Za-z]|$)`)
)

// ParseToken parses s. It does not verify the checksum, which the stored hash covers.
func ParseToken(s string) (Token, bool) {
	m := tokenPattern.FindStringSubmatch(s)
	if m == nil {
		return Token{}, false
	}
	return Token{ID: m[1], Secret: m[2]}, true
}

// IsID reports whether s has the form of a key's id.
func IsID(s string) bool { return idPattern.MatchString(s) }

// FindID returns the id of a token in a text, or "". It accepts a malformed or missing secret.
func FindID(s string) string {
	if m := idInTextPattern.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// NewID returns a random id of 22 base62 characters, for NewKey.ID.
func NewID() string { return randomBase62(idLength) }

// NewToken returns a token with a random id and secret.
func NewToken() Token { return newToken(NewID()) }

func newToken(id string) Token {
	secret := randomBase62(randomLength)
	return Token{ID: id, Secret: secret + checksum(TokenPrefix+id+"_"+secret)}
}

// String returns the bearer token, which is a secret: never log it.
func (t Token) String() string { return TokenPrefix + t.ID + "_" + t.Secret }

// Mask returns the text by which people recognise a key, without its secret: dg_live_<id>_….
func Mask(id string) string { return Token{ID: id, Secret: "…"}.String() }

// hash returns the stored hash of the secret. A fast hash suffices for 256 random bits.
func (t Token) hash() []byte {
	h := sha256.Sum256([]byte(t.Secret))
	return h[:]
}

func checksum(s string) string {
	n := crc32.ChecksumIEEE([]byte(s))
	var digits [checksumLength]byte
	for i := checksumLength - 1; i >= 0; i-- {
		digits[i] = base62[n%62]
		n /= 62
	}
	return string(digits[:])
}

func randomBase62(n int) string {
	out := make([]byte, n)
	for i := range out {
		digit, _ := rand.Int(rand.Reader, big.NewInt(int64(len(base62)))) // never fails
		out[i] = base62[digit.Int64()]
	}
	return string(out)
}

// secretPattern also matches a secret without a token's prefix, which may be mistyped.
var secretPattern = regexp.MustCompile(`(?i)(dg_+live_+[0-9a-z]{22}_+)[0-9a-z]+|[0-9a-z]{43,}`)

// Redact removes the secrets of tokens from a text to log or show, such as a path with a pasted
// key. It finds percent-encoded secrets too, and then returns the text decoded.
func Redact(s string) string {
	plain := s
	if strings.Contains(s, "%") {
		plain = unescape(s)
	}
	redacted := secretPattern.ReplaceAllString(plain, "$1…")
	if redacted == plain {
		return s
	}
	return redacted
}

// unescape decodes nested percent-encoding, such as %2541 for A: after each byte it decodes an
// escape at the end of its output.
func unescape(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		out = append(out, s[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			if _, err := hex.Decode(out[n-3:n-2], out[n-2:n]); err != nil {
				break
			}
			out = out[:n-2]
		}
	}
	return string(out)
}
