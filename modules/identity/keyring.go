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

// Keyring encrypts two-step secrets with its current key, and decrypts secrets of the current and
// the previous key. The zero Keyring leaves secrets in clear.
type Keyring struct {
	current, previous *secretKey
}

type secretKey struct {
	prefix   string // "v1.<key id>." before a ciphertext; secrets in clear are base32, without dots
	aead     cipher.AEAD
	nonceKey []byte // HMAC key for nonces
}

// NewKeyring returns the keyring of a current and a previous key, each of 32 bytes or nil for none.
func NewKeyring(current, previous []byte) (k Keyring, err error) {
	if k.current, err = newSecretKey(current); err != nil {
		return k, err
	}
	k.previous, err = newSecretKey(previous)
	return k, err
}

func newSecretKey(key []byte) (*secretKey, error) {
	if key == nil {
		return nil, nil
	}
	if len(key) != 32 {
		return nil, fmt.Errorf("identity: a secret key has 32 bytes, not %d", len(key))
	}
	derived, err := hkdf.Key(sha256.New, key, nil, "dg two-step secrets", 32+32+4)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived[:32])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	prefix := encryptedPrefix + hex.EncodeToString(derived[64:]) + "."
	return &secretKey{prefix: prefix, aead: aead, nonceKey: derived[32:64]}, err
}

const encryptedPrefix = "v1."

// Encrypts reports whether there is a current key.
func (k Keyring) Encrypts() bool { return k.current != nil }

// Encrypt returns a person's secret in its stored form, which is clear text without a current key.
// Encryption is deterministic, so that an import of the same secret changes nothing: the nonce is
// an HMAC of person and secret, as in SIV. Two secrets share a nonce only if 96 bits collide.
func (k Keyring) Encrypt(personID, secret string) string {
	if k.current == nil {
		return secret
	}
	mac := hmac.New(sha256.New, k.current.nonceKey)
	mac.Write([]byte(personID + " " + secret))
	nonce := mac.Sum(nil)[:k.current.aead.NonceSize()]
	encrypted := k.current.aead.Seal(nonce, nonce, []byte(secret), []byte(personID))
	return k.current.prefix + base64.RawURLEncoding.EncodeToString(encrypted)
}

// decryptStored returns the secret in clear. Errors: apperr.Unavailable, with a cause for the log.
func (k Keyring) decryptStored(personID, stored string) (string, error) {
	secret, err := k.decrypt(personID, stored)
	if err != nil {
		return "", apperr.Wrap(apperr.Unavailable,
			fmt.Errorf("identity: two-step secret of person %s: %w", personID, err),
			"Two-step codes cannot be checked at the moment. Use a recovery code, "+
				"or tell the operator of this service.")
	}
	return secret, nil
}

// decrypt returns the secret in clear. If there is a current key, a stored secret in clear is
// forged, because a migration has encrypted all secrets.
func (k Keyring) decrypt(personID, stored string) (string, error) {
	encrypted := strings.HasPrefix(stored, encryptedPrefix)
	if !encrypted && k.Encrypts() {
		return "", errors.New("it is stored in clear, which DG_SECRET_KEY rules out")
	}
	if !encrypted {
		return stored, nil
	}
	for _, key := range []*secretKey{k.current, k.previous} {
		if key != nil && strings.HasPrefix(stored, key.prefix) {
			return key.decrypt(personID, stored[len(key.prefix):])
		}
	}
	return "", errors.New("it is encrypted with another key: " +
		"set DG_SECRET_KEY or DG_SECRET_KEY_PREVIOUS to that key")
}

func (k *secretKey) decrypt(personID, text string) (string, error) {
	encrypted, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	nonceSize := k.aead.NonceSize()
	if len(encrypted) < nonceSize {
		return "", fmt.Errorf("it has only %d bytes", len(encrypted))
	}
	secret, err := k.aead.Open(nil, encrypted[:nonceSize], encrypted[nonceSize:], []byte(personID))
	return string(secret), err
}
