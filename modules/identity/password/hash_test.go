package password

import (
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

// From the test vectors of the argon2 reference implementation.
const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

// cheap is the least cost that argon2id allows.
var cheap = argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// cheapHash returns a cheap hash.
func cheapHash() string {
	hash, _ := argon2id.CreateHash("correct horse", &cheap)
	return hash
}

func TestPasswordMatchesItsHash(t *testing.T) {
	t.Parallel()
	hash, err := Hash("correct horse")
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$"), hash)
	assert.True(t, Valid(hash))
	assert.True(t, Verify(hash, "correct horse"))
	hash = cheapHash()
	assert.True(t, Verify(hash, "correct horse"))
	assert.False(t, Verify(hash, "correct horse "))
	assert.False(t, Verify(hash, ""))
	assert.NotEqual(t, hash, cheapHash(), "each hash has its own salt")
}

// A new password has at least 12 characters and at most 1,000 bytes. It is normalised to NFC, also
// when it is hashed and compared.
func TestNewPasswordsAreBounded(t *testing.T) {
	t.Parallel()
	for _, refused := range []string{
		"", "eleven char", strings.Repeat("é", 11), strings.Repeat("e\u0301", 11),
		strings.Repeat("a", 1001), strings.Repeat("€", 334), strings.Repeat("\xff", 20),
	} {
		assert.Equal(t, "new", apperr.From(checkForm(refused)).Field, "%q", refused)
	}
	h := NewHasher(cheap)
	for typed, same := range map[string]string{
		"twelve chars": "twelve chars", "😀😁😂🤣😃😄😅😆😉😊😋😎": "😀😁😂🤣😃😄😅😆😉😊😋😎",
		strings.Repeat("a", 1000): strings.Repeat("a", 1000), "with\x00a NUL in it": "with\x00a NUL in it",
		"Zoe\u0308 and friends": "Zo\u00eb and friends",
	} {
		assert.NoError(t, checkForm(typed), "%q", typed)
		hash, err := h.Hash(t.Context(), typed)
		require.NoError(t, err)
		matches, err := h.Matches(t.Context(), &hash, same)
		require.NoError(t, err)
		assert.True(t, matches, "%q", typed)
	}
}

func TestHashFromElsewhereMatches(t *testing.T) {
	t.Parallel()
	assert.True(t, Verify(reference, "password"))
	assert.False(t, Verify(reference, "Password"))
}

func TestHashOutOfBoundsIsInvalid(t *testing.T) {
	t.Parallel()
	const salt = "c29tZXNhbHQ"
	const key = "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	with := func(part, wrong string) string { return strings.Replace(reference, part, wrong, 1) }
	for _, hash := range []string{
		"", "password", "$2y$10$abcdefghijklmnopqrstuv",
		with("argon2id", "argon2i"), with("v=19", "v=16"), with("$v=19", ""),
		with("m=65536", "m=262145"), with("m=65536", "m=4294967296"), with("m=65536", "m=7"),
		with("t=2", "t=0"),
		with("t=2", "t=11"), with("p=1", "p=17"), with("m=65536,t=2", "t=2,m=65536"),
		with(salt, "c2Fs"), with(salt, "c29tZXNhbHQ="),
		with(salt, "c29tZXNhbHR"), with(key, "CTFh"),
		reference + "$",
	} {
		assert.False(t, Valid(hash), "%q", hash)
		assert.False(t, Verify(hash, "password"), "%q", hash)
	}
}
