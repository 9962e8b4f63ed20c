package password

import "github.com/alexedwards/argon2id"

// DefaultCost is the cost of new hashes: OWASP's minimum for argon2id, about 20 ms.
var DefaultCost = argon2id.Params{
	Memory:      19456, // KiB
	Iterations:  2,
	Parallelism: 1,
	SaltLength:  16,
	KeyLength:   32,
}

// The bounds of imported hashes: beyond them, one sign-in could exhaust the server.
const (
	maxMemory      = 256 << 10 // KiB
	maxIterations  = 10
	maxParallelism = 16
)

// Format describes a password hash, for errors.
const Format = "argon2id in PHC form ($argon2id$v=19$m=…,t=…,p=…$salt$hash; " +
	"m up to 262144, t up to 10, p up to 16)"

// Hash returns the password's argon2id hash of the default cost in PHC form.
func Hash(password string) (string, error) { return argon2id.CreateHash(password, &DefaultCost) }

// Verify reports whether the password has the hash, in a time that depends on the hash alone. An
// invalid hash matches no password.
func Verify(hash, password string) bool {
	if !Valid(hash) {
		return false
	}
	matches, err := argon2id.ComparePasswordAndHash(password, hash)
	return err == nil && matches
}

// Valid reports whether the text is a password hash that Verify can use.
func Valid(hash string) bool {
	_, ok := paramsOf(hash)
	return ok
}

// paramsOf returns the parameters of a hash within the bounds.
func paramsOf(hash string) (p argon2id.Params, ok bool) {
	decoded, _, _, err := argon2id.DecodeHash(hash)
	if err != nil {
		return p, false
	}
	p = *decoded
	ok = p.Parallelism >= 1 && p.Parallelism <= maxParallelism &&
		p.Iterations >= 1 && p.Iterations <= maxIterations &&
		p.Memory >= 8*uint32(p.Parallelism) && p.Memory <= maxMemory &&
		p.SaltLength >= 8 && p.SaltLength <= 64 && p.KeyLength >= 16 && p.KeyLength <= 64
	return p, ok
}
