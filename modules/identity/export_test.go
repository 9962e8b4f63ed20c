package identity

import "crypto/rand"

// cheap is the least cost that argon2id allows, for tests that are not about the cost: under the
// race detector a hash of the real cost takes a second.
var cheap = cost{memory: 8, time: 1, lanes: 1}

// UseCheapHashes makes new hashes, and the dummy one, cheap.
func (s *Service) UseCheapHashes() *Service {
	s.passwords = newHasher(cheap)
	return s
}

// CheapHash returns a hash of the password.
func CheapHash(password string) string {
	hash, _ := cheap.hash(password, rand.Reader) // which never fails
	return hash
}
