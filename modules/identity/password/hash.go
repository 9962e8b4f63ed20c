package password

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"golang.org/x/crypto/argon2"
)

// Cost are the parameters of a password hash. Memory is in KiB.
type Cost struct {
	Memory, Time uint32
	Lanes        uint8
}

// DefaultCost is the cost of new hashes: OWASP's minimum for argon2id, about 20 ms.
var DefaultCost = Cost{Memory: 19456, Time: 2, Lanes: 1}

// The lengths of new hashes, in bytes.
const (
	saltLength = 16
	keyLength  = 32
)

// The bounds of imported hashes: beyond them, one sign-in could exhaust the server.
const (
	maxMemory = 256 << 10 // KiB
	maxTime   = 10
	maxLanes  = 16
)

// Format describes a password hash, for errors.
const Format = "argon2id in PHC form ($argon2id$v=19$m=…,t=…,p=…$salt$hash; " +
	"m up to 262144, t up to 10, p up to 16)"

// passwordHash is a password hash in its parts.
type passwordHash struct {
	Cost
	salt, key []byte
}

// Hash returns the password's argon2id hash of the default cost in PHC form. random gives the salt.
func Hash(password string, random io.Reader) (string, error) {
	return DefaultCost.Hash(password, random)
}

// Hash returns the hash of a password at this cost.
func (c Cost) Hash(password string, random io.Reader) (string, error) {
	h := passwordHash{Cost: c, salt: make([]byte, saltLength)}
	if _, err := io.ReadFull(random, h.salt); err != nil {
		return "", err
	}
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.Memory, h.Time,
		h.Lanes, b64.EncodeToString(h.salt), b64.EncodeToString(h.derive(password, keyLength))), nil
}

// Verify reports whether the password has the hash, in a time that depends on the hash alone. An
// invalid hash matches no password.
func Verify(phc, password string) bool {
	h, ok := parseHash(phc)
	return ok && h.matches(password)
}

// Valid reports whether the text is a password hash that Verify can use.
func Valid(phc string) bool {
	_, ok := parseHash(phc)
	return ok
}

func (h passwordHash) matches(password string) bool {
	return subtle.ConstantTimeCompare(h.derive(password, uint32(len(h.key))), h.key) == 1
}

func (h passwordHash) derive(password string, length uint32) []byte {
	return argon2.IDKey([]byte(password), h.salt, h.Time, h.Memory, h.Lanes, length)
}

// phcForm has numbers without sign or leading zero, as PHC demands, and of at most 32 bits.
var phcForm = regexp.MustCompile(
	`^\$argon2id\$v=19\$m=([1-9]\d{0,8}),t=([1-9]\d{0,8}),p=([1-9]\d{0,8})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$`,
)

func parseHash(phc string) (passwordHash, bool) {
	parts := phcForm.FindStringSubmatch(phc)
	if parts == nil {
		return passwordHash{}, false
	}
	m, _ := strconv.Atoi(parts[1])
	t, _ := strconv.Atoi(parts[2])
	p, _ := strconv.Atoi(parts[3])
	salt, saltErr := base64.RawStdEncoding.Strict().DecodeString(parts[4])
	key, keyErr := base64.RawStdEncoding.Strict().DecodeString(parts[5])
	ok := m >= 8*p && m <= maxMemory && t <= maxTime && p <= maxLanes &&
		saltErr == nil && len(salt) >= 8 && len(salt) <= 64 && keyErr == nil && len(key) >= 16 &&
		len(key) <= 64
	return passwordHash{
		Cost: Cost{Memory: uint32(m), Time: uint32(t), Lanes: uint8(p)},
		salt: salt,
		key:  key,
	}, ok
}
