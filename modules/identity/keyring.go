package identity

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"dg/platform/apperr"
)

// Keyring encrypts secrets of two-step verification with its current key, and also decrypts those of
// the previous one. The zero value leaves secrets in clear.
type Keyring struct{ current, previous *secretKey }

// secretKey holds the parts that are derived from a key.
type secretKey struct {
	id    string // public: part of what the key encrypted
	aead  cipher.AEAD
	nonce []byte // the HMAC key of the nonces
}

// NewKeyring returns the keyring of two keys of 32 bytes, nil for none.
func NewKeyring(current, previous []byte) (k Keyring, err error) {
	if current != nil {
		k.current, err = newSecretKey(current)
	}
	if previous != nil && err == nil {
		k.previous, err = newSecretKey(previous)
	}
	return k, err
}

func newSecretKey(key []byte) (*secretKey, error) {
	if len(key) != 32 {
		return nil, fmt.Errorf("identity: a secret key has 32 bytes, not %d", len(key))
	}
	var parts [3][]byte
	for i, purpose := range []string{
		"dg secret key id", "dg secret encryption", "dg secret nonce",
	} {
		var err error
		if parts[i], err = hkdf.Key(sha256.New, key, nil, purpose, 32); err != nil {
			return nil, err
		}
	}
	block, err := aes.NewCipher(parts[1])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	return &secretKey{id: hex.EncodeToString(parts[0][:4]), aead: aead, nonce: parts[2]}, err
}

// Encrypts reports whether there is a current key.
func (k Keyring) Encrypts() bool { return k.current != nil }

// encryptedPrefix begins an encrypted secret. A clear one is base32 and has no full stop.
const encryptedPrefix = "v1."

// prefix begins the secrets that the key encrypted.
func (k *secretKey) prefix() string { return encryptedPrefix + k.id + "." }

// currentPrefix begins the secrets under the current key or, without one, all encrypted secrets.
func (k Keyring) currentPrefix() string {
	if k.current == nil {
		return encryptedPrefix
	}
	return k.current.prefix()
}

// encrypt returns a person's secret in its stored form, with the person as additional data. The
// nonce is derived from person and secret (SIV-like). So encryption is deterministic, an import of
// the same secret changes nothing, and no two plaintexts share a nonce.
func (k Keyring) encrypt(personID, secret string) string {
	if k.current == nil {
		return secret
	}
	mac := hmac.New(sha256.New, k.current.nonce)
	mac.Write([]byte(personID + " " + secret))
	nonce := mac.Sum(nil)[:k.current.aead.NonceSize()]
	encrypted := k.current.aead.Seal(nonce, nonce, []byte(secret), []byte(personID))
	return k.current.prefix() + base64.RawURLEncoding.EncodeToString(encrypted)
}

// open decrypts the person's stored secret. Errors: apperr.Unavailable, whose cause names the setting.
func (k Keyring) open(personID, stored string) (string, error) {
	secret, err := k.decrypt(personID, stored)
	if err != nil {
		err = apperr.Wrap(apperr.Unavailable,
			fmt.Errorf("identity: two-step secret of person %s: %w", personID, err),
			"Two-step codes cannot be checked at the moment. Use a recovery code, "+
				"or tell the operator of this service.")
	}
	return secret, err
}

// decrypt is open with the cause as its error. With a current key it refuses a secret in clear.
func (k Keyring) decrypt(personID, stored string) (string, error) {
	switch {
	// clear text is forged: the first start with a key encrypted all secrets
	case !isEncrypted(stored) && k.current != nil:
		return "", errors.New("it is stored in clear, which DG_SECRET_KEY rules out")
	case !isEncrypted(stored):
		return stored, nil
	}
	for _, key := range []*secretKey{k.current, k.previous} {
		if key == nil {
			continue
		}
		if text, found := strings.CutPrefix(stored, key.prefix()); found {
			return key.open(personID, text)
		}
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(stored, encryptedPrefix), ".")
	return "",
		fmt.Errorf(
			"it is encrypted with the key %s: set DG_SECRET_KEY or DG_SECRET_KEY_PREVIOUS to it",
			id,
		)
}

func isEncrypted(stored string) bool { return strings.HasPrefix(stored, encryptedPrefix) }

func (k *secretKey) open(personID, text string) (string, error) {
	encrypted, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	if len(encrypted) < k.aead.NonceSize() {
		return "", fmt.Errorf("it has only %d bytes", len(encrypted))
	}
	nonce := encrypted[:k.aead.NonceSize()]
	encrypted = encrypted[k.aead.NonceSize():]
	secret, err := k.aead.Open(nil, nonce, encrypted, []byte(personID))
	return string(secret), err
}
