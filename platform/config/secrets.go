package config

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// Secrets are the keys with which secrets in the database are encrypted.
type Secrets struct {
	SecretKey         string `name:"secret-key" env:"DG_SECRET_KEY" validate:"omitempty,key" placeholder:"KEY" secret:"" help:"Key that encrypts the secrets of two-step verification: 32 random bytes in base64 or hex. Use the variable or a file, because other users of the machine see flags. Empty: the secrets are stored in clear."`
	SecretKeyPrevious string `name:"secret-key-previous" env:"DG_SECRET_KEY_PREVIOUS" validate:"omitempty,key" placeholder:"KEY" secret:"" help:"Second key for rotation, for decryption only: the one that the secret key replaces, or the one that other instances already write. Each start encrypts its secrets again with the secret key."`
}

// Keys returns the keys, nil for one that is not set. No error quotes a key.
func (s Secrets) Keys() (current, previous []byte, err error) {
	if err := check(s); err != nil {
		return nil, nil, err
	}
	return parseKey(s.SecretKey), parseKey(s.SecretKeyPrevious), nil
}

// keySize is AES-256's.
const keySize = 32

// parseKey returns the key that a text holds, or nil.
func parseKey(text string) []byte {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.URLEncoding.DecodeString,
		base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(strings.TrimSpace(text)); err == nil && len(key) == keySize {
			return key
		}
	}
	return nil
}
