package identity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

// A stored secret decrypts only with its key, for its person and unchanged. A secret in clear is
// read only without a key.
func TestKeyringDecryptsWhatItEncrypted(t *testing.T) {
	t.Parallel()
	const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	require.Equal(t, secret, RingOf(0, 0).Encrypt("ann", secret))
	encrypted := RingOf(1, 9).Encrypt("ann", secret)
	require.Equal(t, encrypted, RingOf(1, 9).Encrypt("ann", secret),
		"an import of the same secret changes nothing")
	require.NotEqual(t, encrypted, RingOf(1, 9).Encrypt("bob", secret))
	require.Regexp(t, `^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$`, encrypted)
	for name, c := range map[string]struct {
		ring           Keyring
		person, stored string
		opens          bool
	}{
		"its key":              {RingOf(1, 9), "ann", encrypted, true},
		"the previous key":     {RingOf(2, 1), "ann", encrypted, true},
		"in clear":             {RingOf(0, 0), "ann", secret, true},
		"in clear, with a key": {RingOf(2, 9), "ann", secret, false},
		"no key":               {RingOf(0, 0), "ann", encrypted, false},
		"another key":          {RingOf(2, 9), "ann", encrypted, false},
		"another person":       {RingOf(1, 9), "bob", encrypted, false},
		"truncated":            {RingOf(1, 9), "ann", encrypted[:len(encrypted)-4], false},
		"shorter than a nonce": {RingOf(1, 9), "ann", encrypted[:15], false},
		"no base64":            {RingOf(1, 9), "ann", encrypted + "!", false},
	} {
		got, err := c.ring.decryptStored(c.person, c.stored)
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
