package config_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/config"
)

// A key is 32 bytes in base64 or hex. Any other value is an error, which does not quote it.
func TestSecretKeysAre32Bytes(t *testing.T) {
	key := bytes.Repeat([]byte{0xfb, 0xef, 0x01, 0x7f}, 8)
	for _, text := range []string{
		hex.EncodeToString(key), strings.ToUpper(hex.EncodeToString(key)),
		base64.StdEncoding.EncodeToString(key),
		base64.RawStdEncoding.EncodeToString(key), base64.URLEncoding.EncodeToString(key),
		base64.RawURLEncoding.EncodeToString(key),
		base64.StdEncoding.EncodeToString(key) + "\n",
	} {
		current, previous, err := config.Secrets{SecretKey: text, SecretKeyPrevious: text}.Keys()
		require.NoError(t, err, text)
		require.Equal(t, key, current)
		require.Equal(t, key, previous)
	}
	current, previous, err := config.Secrets{}.Keys()
	require.NoError(t, err)
	require.Nil(t, current)
	require.Nil(t, previous)
	good := hex.EncodeToString(key)
	for _, text := range []string{"x", good[:62], good + "00",
		base64.StdEncoding.EncodeToString(key[:31]),
		base64.StdEncoding.EncodeToString(append(key, 0)),
		strings.Repeat("z", 64), "correct horse battery staple", " "} {
		_, _, err := config.Secrets{SecretKey: text}.Keys()
		require.ErrorContains(t, err, "DG_SECRET_KEY is not a key", "%q", text)
		require.NotContains(t, err.Error(), "correct horse")
		_, _, err = config.Secrets{SecretKey: good, SecretKeyPrevious: text}.Keys()
		require.ErrorContains(t, err, "DG_SECRET_KEY_PREVIOUS is not a key", "%q", text)
	}
	current, previous, err = config.Secrets{SecretKeyPrevious: good}.Keys()
	require.NoError(t, err, "a key can be read before any instance writes it")
	require.Nil(t, current)
	require.Equal(t, key, previous)
}
