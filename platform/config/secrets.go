package config

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

// Secrets are the keys with which secrets in the database are encrypted.
type Secrets struct {
	SecretKey         string `name:"secret-key" env:"DG_SECRET_KEY" placeholder:"KEY" help:"32 random bytes in base64 or hex, which encrypt the secrets of two-step verification in the database. Give it as the variable: other users of the machine see flags. Empty: the secrets are stored in clear."`
	SecretKeyPrevious string `name:"secret-key-previous" env:"DG_SECRET_KEY_PREVIOUS" placeholder:"KEY" help:"Another key that is read, and never written: the one that the secret key replaces, or the one that other instances write already. What it encrypted is encrypted with the secret key at the start."`
}

// Keys returns the keys; nil is one that is not set. No error holds what was given.
func (s Secrets) Keys() (current, previous []byte, err error) {
	if current, err = keyOf("DG_SECRET_KEY", s.SecretKey); err != nil {
		return nil, nil, err
	}
	if previous, err = keyOf("DG_SECRET_KEY_PREVIOUS", s.SecretKeyPrevious); err != nil {
		return nil, nil, err
	}
	return current, previous, nil
}

// keySize is that of AES-256.
const keySize = 32

func keyOf(name, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.URLEncoding.DecodeString,
		base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(strings.TrimSpace(text)); err == nil && len(key) == keySize {
			return key, nil
		}
	}
	return nil, errors.New(name + " is not a key: set it to 32 random bytes in base64 or hex, such as the output of: openssl rand -base64 32")
}
