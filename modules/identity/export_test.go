package identity

import (
	"bytes"
	"context"

	"github.com/alexedwards/argon2id"
)

// cheap is the least cost that argon2id allows: with the race detector a real hash takes a second.
var cheap = argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// UseCheapHashes makes new hashes, and the dummy one, cheap.
func (s *Service) UseCheapHashes() { s.passwords = newHasher(cheap) }

// AttemptWrong attempts a wrong password, whose hash takes as long as computing.
func (s *Service) AttemptWrong(ctx context.Context, email string, computing func()) error {
	who, err := byEmail(s.gorm(ctx), email)
	if err != nil {
		return err
	}
	return s.attempt(s.gorm(ctx), who, passwordLimits(who, requestOf(ctx).Address), func() error {
		computing()
		return ErrWrongPassword
	})
}

// UseKeys replaces the keyring.
func (s *Service) UseKeys(keys Keyring) { s.keys = keys }

// RingOf returns the keyring of keys of 32 equal bytes, 0 for none.
func RingOf(current, previous byte) Keyring {
	key := func(b byte) []byte {
		if b == 0 {
			return nil
		}
		return bytes.Repeat([]byte{b}, 32)
	}
	ring, _ := NewKeyring(key(current), key(previous)) // which never fails
	return ring
}
