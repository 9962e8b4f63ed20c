package config

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Secrets are the encryption keys of the database's two-step verification secrets.
type Secrets struct {
	SecretKey         string `env:"DG_SECRET_KEY" placeholder:"KEY" secret:"" help:"${key}"`
	SecretKeyPrevious string `env:"DG_SECRET_KEY_PREVIOUS" placeholder:"KEY" secret:"" help:"${previous}"`
}

// Keys returns the decoded keys, nil for a key that is not set. No error quotes a key.
func (s Secrets) Keys() (current, previous []byte, err error) {
	current, err = parseKey("DG_SECRET_KEY", s.SecretKey)
	previous, failed := parseKey("DG_SECRET_KEY_PREVIOUS", s.SecretKeyPrevious)
	return current, previous, errors.Join(err, failed)
}

const keySize = 32 // AES-256

func parseKey(setting, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	for _, decode := range []func(string) ([]byte, error){hex.DecodeString,
		base64.StdEncoding.DecodeString} {
		if key, err := decode(strings.TrimSpace(text)); err == nil && len(key) == keySize {
			return key, nil
		}
	}
	return nil, fmt.Errorf("%s is not a key: set it to 32 random bytes in base64 or hex, such as "+
		"the output of: openssl rand -base64 32", setting)
}
