package identity

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
	"dg/platform/testkit/tb"
)

// cheapCost is argon2id's minimum cost, because a real hash takes a second under the race detector.
var cheapCost = argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

func (s *Service) UseCheapHashes() { s.passwords = newHasher(cheapCost) }

// AttemptWrongPassword attempts a wrong password. It calls duringHash instead of hashing.
func (s *Service) AttemptWrongPassword(ctx context.Context, email string, duringHash func()) error {
	user, err := userByEmail(s.gorm(ctx), email)
	if err != nil {
		return err
	}
	return s.matchWithin(s.gorm(ctx), user, passwordLimits(user, requestOf(ctx).Address), func() error {
		duringHash()
		return ErrWrongPassword
	})
}

func (s *Service) UseKeyring(keys Keyring) { s.keyring = keys }

// KeyringOf returns a keyring in which each key is its byte, 32 times. 0 means no key.
func KeyringOf(current, previous byte) Keyring {
	key := func(b byte) []byte {
		if b == 0 {
			return nil
		}
		return bytes.Repeat([]byte{b}, 32)
	}
	keyring, _ := NewKeyring(key(current), key(previous)) // never fails: each key has 32 bytes or none
	return keyring
}

// A stored secret decrypts only with its key, for its person. A secret in clear is read only without a key.
func TestKeyringDecryptsWhatItEncrypted(t *testing.T) {
	const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	require.Equal(t, secret, KeyringOf(0, 0).Encrypt("ann", secret))
	encrypted := KeyringOf(1, 9).Encrypt("ann", secret)
	require.Equal(t, encrypted, KeyringOf(1, 9).Encrypt("ann", secret), "an import of the same secret changes nothing")
	require.NotEqual(t, encrypted, KeyringOf(1, 9).Encrypt("bob", secret))
	require.Regexp(t, `^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$`, encrypted)
	for name, c := range map[string]struct {
		keyring        Keyring
		person, stored string
		decrypts       bool
	}{
		"its key":              {KeyringOf(1, 9), "ann", encrypted, true},
		"the previous key":     {KeyringOf(2, 1), "ann", encrypted, true},
		"in clear":             {KeyringOf(0, 0), "ann", secret, true},
		"in clear, with a key": {KeyringOf(2, 9), "ann", secret, false},
		"no key":               {KeyringOf(0, 0), "ann", encrypted, false},
		"another key":          {KeyringOf(2, 9), "ann", encrypted, false},
		"another person":       {KeyringOf(1, 9), "bob", encrypted, false},
		"truncated":            {KeyringOf(1, 9), "ann", encrypted[:len(encrypted)-4], false},
		"shorter than a nonce": {KeyringOf(1, 9), "ann", encrypted[:15], false},
		"no base64":            {KeyringOf(1, 9), "ann", encrypted + "!", false},
	} {
		decrypted, err := c.keyring.decryptStored(c.person, c.stored)
		if c.decrypts {
			require.NoError(t, err, name)
			require.Equal(t, secret, decrypted, name)
			continue
		}
		require.True(t, apperr.Is(err, apperr.Unavailable), name)
		require.NotContains(t, err.Error(), secret)
		require.NotContains(t, apperr.From(err).Message, "DG_SECRET_KEY", "settings belong in the log")
	}
	require.Error(t, tb.ErrorOf(NewKeyring(make([]byte, 31), nil)))
}

// This hash is from the test vectors of the argon2 reference implementation.
const referenceHash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

// Hashes of other implementations match. Passwords are normalised to NFC. Each hash has its own salt.
func TestPasswordMatchesItsHash(t *testing.T) {
	t.Parallel()
	h := newHasher(hashCost)
	hash := tb.Must(h.hash(t.Context(), "Zoe\u0308 and friends"))(t)
	require.True(t, strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$"), hash)
	secondHash := tb.Must(h.hash(t.Context(), "Zo\u00eb and friends"))(t)
	require.NotEqual(t, hash, secondHash)
	longest := strings.Repeat("x", maxPasswordBytes)
	longestHash := tb.Must(h.hash(t.Context(), longest))(t)
	for _, c := range []struct {
		hash, password string
		matches        bool
	}{
		{longestHash, longest, true}, {hash, "Zo\u00eb and friends", true}, {secondHash, "Zoe\u0308 and friends", true},
		{hash, "Zo\u00eb and friends ", false}, {hash, "", false},
		{referenceHash, "password", true}, {referenceHash, "Password", false},
	} {
		matches := tb.Must(h.matches(t.Context(), &c.hash, c.password))(t)
		require.Equal(t, c.matches, matches, c.password)
	}
}

// A hash that is malformed or exceeds the bounds of cost cannot be imported and does not match.
func TestHashOutOfBoundsIsInvalid(t *testing.T) {
	const salt, key = "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	with := func(old, invalid string) string { return strings.Replace(referenceHash, old, invalid, 1) }
	for _, hash := range []string{
		"", "password", "$2y$10$abcdefghijklmnopqrstuv", with("argon2id", "argon2i"), with("v=19", "v=16"),
		with("$v=19", ""), with("m=65536", "m=262145"), with("m=65536", "m=4294967296"), with("m=65536", "m=7"),
		with("t=2", "t=0"), with("t=2", "t=11"), with("p=1", "p=17"), with("m=65536,t=2", "t=2,m=65536"),
		with(salt, "c2Fs"), with(salt, "c29tZXNhbHQ="), with(salt, "c29tZXNhbHR"), with(key, "CTFh"),
		referenceHash + "$",
	} {
		require.False(t, ValidPasswordHash(hash), "%q", hash)
		require.False(t, PasswordMatches(hash, "password"), "%q", hash)
	}
}

// An import refuses hashes that delay other sign-ins or match no password. A stored hash of that cost stays valid.
func TestCostlyHashIsNotImported(t *testing.T) {
	for params, importable := range map[string]bool{
		"m=65537,t=1,p=1": false, "m=65536,t=6,p=1": false, "m=8192,t=10,p=5": false, "m=65536,t=2,p=16": false,
		"m=65536,t=2,p=1,data=c2Fs": false, "m=65536,t=2,p=1": true, "m=38912,t=10,p=4": true, "m=65536,t=5,p=4": true,
	} {
		hash := strings.Replace(referenceHash, "m=65536,t=2,p=1", params, 1)
		require.Equal(t, importable, ValidPasswordHash(hash), params)
		require.NotNil(t, costOf(hash), params)
	}
}

// The largest hash runs alone, because it takes all the memory of hashes.
func TestLargestHashRunsAlone(t *testing.T) {
	h := newHasher(hashCost)
	largest := hashCost
	largest.Memory = maxMemory
	for _, cost := range []argon2id.Params{largest, hashCost} { // a small hash acquires minShare
		release := tb.Must(h.acquire(t.Context(), cost))(t)
		require.False(t, h.memory.TryAcquire(int64(maxMemory-max(cost.Memory, h.minShare)+1)))
		release()
	}
	require.True(t, h.memory.TryAcquire(maxMemory))
}

// A new password has at least 12 characters, at most 1,000 bytes, and more than common words, name and e-mail.
func TestWeakPasswordsAreRefused(t *testing.T) {
	t.Parallel()
	user := userRow{Name: "Zoë van Dijkstra", Email: "maren.solheim@harbour.example"}
	for message, refused := range map[string][]string{
		"too short":          {"", "eleven char", strings.Repeat("é", 11), strings.Repeat("e\u0301", 11)},
		"too long":           {strings.Repeat("a", 1001), strings.Repeat("€", 334)},
		"invalid characters": {strings.Repeat("\xff", 20)},
		"easy to guess": {
			"password1234", "passwordkxqvm", "Password123!", "P@ssw0rd1234", "passwordpassword", "mypassword!!",
			"MotDePasse2026", "contraseña123", "passwort12345", "123456789012", "111111111111", "            ",
			"abcabcabcabc", "abcdefghijkl", "qwertyuiop12", "dgdgdgdgdgdg", "dg-reporting-dg",
			"correct horse battery staple", "😀😀😀😀😀😀😀😀😀😀😀😀", "maren.solheim@harbour.example", "Maren.Solheim",
			"maren.solheim2026!", "zoe.dijkstra1", "Dijkstra2026!", "van dijkstra!", "ZOËDIJKSTRA1",
		},
	} {
		for _, password := range refused {
			err := checkPassword(password, user)
			require.ErrorContains(t, err, message, password)
			require.Equal(t, "new", apperr.From(err).Field)
		}
	}
	for _, accepted := range []string{
		"correct horse battery", "battery horse staple", "Zoe and friends", "twelve chars", "839201748261",
		"kx7-Qp2-mV9-tL4", "the dog ate my passport", "Zürich im Regen", "日本語のパスワードは長い", "with\x00a NUL in it",
		"dijkstra walks the graph", strings.Repeat("lengthy-on", 100), "passwordkxqvmz",
	} {
		require.NoError(t, checkPassword(accepted, user), accepted)
	}
}

// An imported TOTP secret is base32 of at least 80 bits, in at most 200 characters.
func TestImportedTOTPSecretsAreBase32(t *testing.T) {
	for text, want := range map[string]string{
		"JBSWY3DPEHPK3PXP": "JBSWY3DPEHPK3PXP", "jbswy3dpehpk3pxp": "JBSWY3DPEHPK3PXP",
		"GEZDGNBVGY3TQOJQGE======": "GEZDGNBVGY3TQOJQGE",
	} {
		parsed, ok := ParseTOTPSecret(text)
		require.True(t, ok, text)
		require.Equal(t, want, parsed)
	}
	for _, text := range []string{
		"", "JBSWY3DP", "JBSWY3DPEHPK3PX1", "JBSW Y3DP EHPK 3PXP", "JBSWY3DP\nEHPK3PXP", "========",
		strings.Repeat("A", 201),
	} {
		_, ok := ParseTOTPSecret(text)
		require.False(t, ok, "%q", text)
	}
}

// Codes may contain blanks, dashes and invisible characters. Their digits may be full-width, Arabic-Indic or Persian.
func TestCodeIsAcceptedInEverySpelling(t *testing.T) {
	const secret = "JBSWY3DPEHPK3PXP"
	now := time.Now()
	code := tb.Must(totp.GenerateCode(secret, now))(t)
	recoveryCode := newRecoveryCode()
	want, ok := parseRecoveryCode(recoveryCode)
	require.True(t, ok)
	for _, separator := range []string{
		"", " ", "\u00a0", "\u202f", "-", "\u2011", "\u200b", "\u200e", "\ufeff", "\t", "\u00ad",
	} {
		_, ok := matchTOTP(secret, separator+code[:3]+separator+fullWidth(code[3:])+separator, now, 0)
		require.True(t, ok, "%q", separator)
		spelled := separator + strings.ReplaceAll(recoveryCode, "-", separator) + separator
		for _, text := range []string{spelled, fullWidth(recoveryCode)} {
			parsed, ok := parseRecoveryCode(text)
			require.True(t, ok, "%q", text)
			require.Equal(t, want, parsed)
		}
	}
	for _, zero := range []rune{'\u0660', '\u06f0'} { // zeros of Arabic-Indic and Persian digits
		_, ok := matchTOTP(secret, strings.Map(func(r rune) rune { return r - '0' + zero }, code), now, 0)
		require.True(t, ok, "%q", zero)
	}
	for _, text := range []string{code[:5], code + "0", "x" + code, ""} {
		_, ok := matchTOTP(secret, text, now, 0)
		require.False(t, ok, "%q", text)
	}
}

func fullWidth(text string) string {
	return strings.Map(func(r rune) rune { return r + '\uff01' - '!' }, text)
}

// The clients of a /48 leave a sign-in slot to others.
func TestSiteLeavesASignInSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := New(nil, time.Now, Recorder{}, Keyring{}).slots
		for i, network := range []string{"1:1", "1:2", "1:3", "1:4", "2:1"} {
			_, err := slots.Acquire(t.Context(), "2001:db8:"+network+"::/64")
			require.Equal(t, i == maxSignIns-1, err != nil, network)
		}
	})
}
