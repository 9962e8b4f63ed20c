package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// Secrets has the keys that encrypt the stored secrets of two-step verification.
type Secrets struct {
	SecretKey         string `env:"DG_SECRET_KEY" placeholder:"KEY" secret:"" help:"${key}"`
	SecretKeyPrevious string `env:"DG_SECRET_KEY_PREVIOUS" placeholder:"KEY" secret:"" help:"${previous}"`
}

// Keys returns the decoded keys. A key is nil if it is not set. No error quotes a key.
func (s Secrets) Keys() (current, previous []byte, err error) {
	current, err = parseKey("DG_SECRET_KEY", s.SecretKey)
	previous, previousErr := parseKey("DG_SECRET_KEY_PREVIOUS", s.SecretKeyPrevious)
	return current, previous, errors.Join(err, previousErr)
}

func parseKey(setting, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != 32 { // the length of an AES-256 key
		return nil, fmt.Errorf("%s is not a key: set it to 32 random bytes in base64, such as the "+
			"output of: openssl rand -base64 32", setting)
	}
	return key, nil
}
