package identity

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

func ringOf(t *testing.T, current, previous []byte) Keyring {
	t.Helper()
	ring, err := NewKeyring(current, previous)
	require.NoError(t, err)
	return ring
}

// A stored secret decrypts only with its key, for its person and unchanged. A secret in clear is
// read only without a key.
func TestKeyringDecryptsWhatItEncrypted(t *testing.T) {
	t.Parallel()
	a := bytes.Repeat([]byte{1}, 32)
	b := bytes.Repeat([]byte{2}, 32)
	const ann = "ann"
	const bob = "bob"
	const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	none := Keyring{}
	first := ringOf(t, a, nil)
	rotated := ringOf(t, b, a)
	other := ringOf(t, b, nil)
	require.False(t, none.Encrypts())
	require.Equal(t, secret, none.Encrypt(ann, secret))
	encrypted := first.Encrypt(ann, secret)
	require.Equal(t, encrypted, first.Encrypt(ann, secret),
		"an import of the same secret changes nothing")
	require.NotEqual(t, encrypted, first.Encrypt(bob, secret))
	require.NotContains(t, encrypted, secret)
	require.Regexp(t, `^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$`, encrypted)
	_, plain := ParseTOTPSecret(encrypted)
	require.False(t, plain, "no secret in clear looks like an encrypted one")
	for name, c := range map[string]struct {
		ring           Keyring
		person, stored string
		opens          bool
	}{
		"its key":                             {first, ann, encrypted, true},
		"the previous key":                    {rotated, ann, encrypted, true},
		"in clear":                            {none, ann, secret, true},
		"in clear, with a key":                {other, ann, secret, false},
		"in clear, before the key is current": {ringOf(t, nil, a), ann, secret, true},
		"no key":                              {none, ann, encrypted, false},
		"another key":                         {other, ann, encrypted, false},
		"another person":                      {first, bob, encrypted, false},
		"truncated":                           {first, ann, encrypted[:len(encrypted)-4], false},
		"shorter than a nonce":                {first, ann, encrypted[:15], false},
		"no base64":                           {first, ann, encrypted + "!", false},
		"another version":                     {first, ann, "v2" + encrypted[2:], false},
	} {
		got, err := c.ring.open(c.person, c.stored)
		if c.opens {
			require.NoError(t, err, name)
			require.Equal(t, secret, got, name)
			continue
		}
		require.True(t, apperr.Is(err, apperr.Unavailable), name)
		require.Empty(t, got, name)
		require.NotContains(t, err.Error(), secret)
	}
	_, err := other.open(ann, encrypted)
	require.ErrorContains(t, err, "DG_SECRET_KEY")
	require.NotContains(t, apperr.From(err).Message, "DG_SECRET_KEY", "settings belong in the log")
	for _, key := range [][]byte{{}, a[:31], append(a, 1)} {
		_, err := NewKeyring(key, nil)
		require.Error(t, err)
	}
}
