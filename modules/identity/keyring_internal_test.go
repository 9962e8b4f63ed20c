package identity

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

// A stored secret decrypts only with its key, for its person and unchanged. A secret in clear is
// read only without a key.
func TestKeyringDecryptsWhatItEncrypted(t *testing.T) {
	t.Parallel()
	ring := func(current, previous byte) Keyring {
		key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
		var k Keyring
		var err error
		if current != 0 {
			k, err = NewKeyring(key(current), key(previous))
		}
		require.NoError(t, err)
		return k
	}
	const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	require.Equal(t, secret, ring(0, 0).Encrypt("ann", secret))
	encrypted := ring(1, 9).Encrypt("ann", secret)
	require.Equal(t, encrypted, ring(1, 9).Encrypt("ann", secret),
		"an import of the same secret changes nothing")
	require.NotEqual(t, encrypted, ring(1, 9).Encrypt("bob", secret))
	require.Regexp(t, `^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$`, encrypted)
	for name, c := range map[string]struct {
		ring           Keyring
		person, stored string
		opens          bool
	}{
		"its key":              {ring(1, 9), "ann", encrypted, true},
		"the previous key":     {ring(2, 1), "ann", encrypted, true},
		"in clear":             {ring(0, 0), "ann", secret, true},
		"in clear, with a key": {ring(2, 9), "ann", secret, false},
		"no key":               {ring(0, 0), "ann", encrypted, false},
		"another key":          {ring(2, 9), "ann", encrypted, false},
		"another person":       {ring(1, 9), "bob", encrypted, false},
		"truncated":            {ring(1, 9), "ann", encrypted[:len(encrypted)-4], false},
		"shorter than a nonce": {ring(1, 9), "ann", encrypted[:15], false},
		"no base64":            {ring(1, 9), "ann", encrypted + "!", false},
	} {
		got, err := c.ring.open(c.person, c.stored)
		if c.opens {
			require.NoError(t, err, name)
			require.Equal(t, secret, got, name)
			continue
		}
		require.True(t, apperr.Is(err, apperr.Unavailable), name)
		require.NotContains(t, err.Error(), secret)
		require.NotContains(t, apperr.From(err).Message, "DG_SECRET_KEY", "settings belong in the log")
	}
	_, err := NewKeyring(make([]byte, 31), nil)
	require.Error(t, err)
}
