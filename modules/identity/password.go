package identity

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The parameters of new hashes: the second recommendation of RFC 9106 cut to what OWASP asks for, about 20 ms.
const (
	hashMemory = 19456 // KiB
	hashTime   = 2
	hashLanes  = 1
	saltLength = 16
	keyLength  = 32
)

// The bounds of hashes that are taken over: more would let one sign-in use up the server.
const (
	maxMemory = 256 << 10 // KiB
	maxTime   = 10
	maxLanes  = 16
)

// HashExpected says what a password hash is, for an error.
const HashExpected = "argon2id in PHC form ($argon2id$v=19$m=…,t=…,p=…$salt$hash; m up to 262144, t up to 10, p up to 16)"

// hash is a password hash in its parts.
type hash struct {
	memory, time uint32
	lanes        uint8
	salt, key    []byte
}

// HashPassword returns the password's argon2id hash in PHC form. random gives the salt: crypto/rand.Reader, unless the
// hash has to be the same each time.
func HashPassword(password string, random io.Reader) (string, error) {
	h := hash{memory: hashMemory, time: hashTime, lanes: hashLanes, salt: make([]byte, saltLength)}
	if _, err := io.ReadFull(random, h.salt); err != nil {
		return "", err
	}
	h.key = h.derive(password, keyLength)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.time, h.lanes,
		b64.EncodeToString(h.salt), b64.EncodeToString(h.key)), nil
}

// VerifyPassword says whether the password has the hash. It takes the same time for any password; a hash that cannot be
// read, or is out of bounds, fits none.
func VerifyPassword(phc, password string) bool {
	h, ok := parseHash(phc)
	if !ok {
		return false
	}
	return h.fits(password)
}

func (h hash) fits(password string) bool {
	return subtle.ConstantTimeCompare(h.derive(password, uint32(len(h.key))), h.key) == 1
}

// ValidHash says whether the text is a password hash that VerifyPassword can use.
func ValidHash(phc string) bool {
	_, ok := parseHash(phc)
	return ok
}

func (h hash) derive(password string, length uint32) []byte {
	return argon2.IDKey([]byte(password), h.salt, h.time, h.memory, h.lanes, length)
}

func parseHash(phc string) (hash, bool) {
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v=19" {
		return hash{}, false
	}
	parameters := strings.Split(parts[3], ",")
	if len(parameters) != 3 {
		return hash{}, false
	}
	m, okM := parameter(parameters[0], "m=", maxMemory)
	t, okT := parameter(parameters[1], "t=", maxTime)
	p, okP := parameter(parameters[2], "p=", maxLanes)
	salt, okS := base64Part(parts[4], 8, 64)
	key, okK := base64Part(parts[5], 16, 64)
	if !okM || !okT || !okP || !okS || !okK || m < 8*p {
		return hash{}, false
	}
	return hash{memory: m, time: t, lanes: uint8(p), salt: salt, key: key}, true
}

// parameter reads a decimal number from 1 to limit, written as PHC wants it: no sign, no leading zero.
func parameter(text, name string, limit uint64) (uint32, bool) {
	digits, ok := strings.CutPrefix(text, name)
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), err == nil && n <= limit
}

func base64Part(text string, least, most int) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") { // the decoder skips them
		return nil, false
	}
	b, err := base64.RawStdEncoding.Strict().DecodeString(text)
	return b, err == nil && len(b) >= least && len(b) <= most
}
