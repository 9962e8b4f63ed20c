package identity

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
	"dg/platform/testkit"
)

// From the test vectors of the argon2 reference implementation.
const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

// Hashes from elsewhere match too. A password is normalised to NFC, and its hash has its own salt.
func TestPasswordMatchesItsHash(t *testing.T) {
	t.Parallel()
	h := newHasher(hashCost)
	hash, err := h.hash(t.Context(), "Zoe\u0308 and friends")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$"), hash)
	again, err := h.hash(t.Context(), "Zo\u00eb and friends")
	require.NoError(t, err)
	require.NotEqual(t, hash, again)
	for _, c := range []struct {
		hash, password string
		matches        bool
	}{
		{hash, "Zo\u00eb and friends", true}, {again, "Zoe\u0308 and friends", true},
		{hash, "Zo\u00eb and friends ", false}, {hash, "", false},
		{reference, "password", true}, {reference, "Password", false},
	} {
		matches, err := h.matches(t.Context(), &c.hash, c.password)
		require.NoError(t, err)
		require.Equal(t, c.matches, matches, c.password)
	}
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
		require.False(t, ValidPasswordHash(hash), "%q", hash)
		require.False(t, PasswordMatches(hash, "password"), "%q", hash)
	}
}

// An import takes no hash that delays other sign-ins. One that an earlier import took still matches.
func TestCostlyHashIsNotImported(t *testing.T) {
	t.Parallel()
	require.True(t, ValidPasswordHash(reference))
	for _, params := range []string{"m=65537,t=1,p=1", "m=65536,t=6,p=1", "m=8192,t=10,p=5", "m=65536,t=2,p=16"} {
		costly := strings.Replace(reference, "m=65536,t=2,p=1", params, 1)
		require.False(t, ValidPasswordHash(costly), params)
		require.NotNil(t, costOf(costly), params)
	}
	for _, params := range []string{"m=38912,t=10,p=4", "m=65536,t=5,p=4"} {
		require.True(t, ValidPasswordHash(strings.Replace(reference, "m=65536,t=2,p=1", params, 1)), params)
	}
}

func TestHashesAtOnceShareTheMemoryOfTheLargest(t *testing.T) {
	t.Parallel()
	h := newHasher(hashCost)
	largest := hashCost
	largest.Memory = maxMemory
	var running, peak atomic.Int64
	testkit.Concurrently(8, func(int) {
		release, err := h.acquire(t.Context(), largest)
		require.NoError(t, err)
		defer release()
		peak.Store(max(peak.Load(), running.Add(1)))
		runtime.Gosched()
		running.Add(-1)
	})
	require.EqualValues(t, 1, peak.Load())
}

// A new password has at least 12 characters and at most 1,000 bytes, and is not made of common words,
// the person's name and the e-mail.
func TestWeakPasswordsAreRefused(t *testing.T) {
	t.Parallel()
	maren := userRow{Name: "Zoë van Dijkstra", Email: "maren.solheim@harbour.example"}
	for message, refused := range map[string][]string{
		"too short":          {"", "eleven char", strings.Repeat("é", 11), strings.Repeat("e\u0301", 11)},
		"too long":           {strings.Repeat("a", 1001), strings.Repeat("€", 334)},
		"invalid characters": {strings.Repeat("\xff", 20)},
		"easy to guess": {
			"password1234", "Password123!", "P@ssw0rd1234", "passwordpassword", "mypassword!!",
			"MotDePasse2026", "contraseña123", "passwort12345", "123456789012", "111111111111",
			"            ", "abcabcabcabc", "abcdefghijkl", "qwertyuiop12", "dgdgdgdgdgdg",
			"dg-reporting-dg", "correct horse battery staple", "😀😀😀😀😀😀😀😀😀😀😀😀",
			"maren.solheim@harbour.example", "Maren.Solheim", "maren.solheim2026!", "zoe.dijkstra1",
			"Dijkstra2026!", "van dijkstra!", "ZOËDIJKSTRA1",
		},
	} {
		for _, password := range refused {
			err := checkPassword(password, maren)
			require.ErrorContains(t, err, message, password)
			require.Equal(t, "new", apperr.From(err).Field)
		}
	}
	for _, accepted := range []string{
		"correct horse battery", "battery horse staple", "Zoe and friends", "twelve chars",
		"839201748261", "kx7-Qp2-mV9-tL4", "the dog ate my passport", "Zürich im Regen",
		"日本語のパスワードは長い", "with\x00a NUL in it", "dijkstra walks the graph",
		strings.Repeat("lengthy-on", 100),
	} {
		require.NoError(t, checkPassword(accepted, maren), accepted)
	}
}
