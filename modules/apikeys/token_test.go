package apikeys

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"math"
	mathrand "math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// vector is a token whose checksum was computed apart from this program: crc32("dg_live_…43 random
// characters") is 1534814349, which is 1frvK9 in the digits 0-9A-Za-z.
const (
	vectorID     = "0123456789ABCDEFGHIJKL"
	vectorRandom = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"
	vector       = "dg_live_" + vectorID + "_" + vectorRandom + "1frvK9"
)

// The format of a key is dg_live_<id>_<secret>; fixed lengths, at least 20
// random characters of id, at least 256 random bits and a checksum of six digits in the secret.
func TestTokenFormat(t *testing.T) {
	form := regexp.MustCompile(`\Adg_live_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}\z`)
	seen := map[string]bool{}
	for range 2000 {
		token, err := NewToken(rand.Reader)
		require.NoError(t, err)
		require.Regexp(t, form, token.String())
		require.False(t, seen[token.ID] || seen[token.Secret], "a part was drawn twice")
		seen[token.ID] = true
		seen[token.Secret] = true

		body := token.String()[:len(token.String())-6]
		sum := token.Secret[len(token.Secret)-6:]
		require.Equal(t, checksum(body), sum, "the checksum is that of all before it")
		parsed, ok := ParseToken(token.String())
		require.True(t, ok)
		require.Equal(t, token, parsed)
		id, ok := FindID("Bearer " + token.String())
		require.True(t, ok)
		require.Equal(t, token.ID, id)
	}
}

// rules.md, Keys: at least 256 random bits in the secret, at least 20 random characters of id.
func TestTokenHasEnoughRandomBits(t *testing.T) {
	require.GreaterOrEqual(t, float64(randomLength)*math.Log2(62), 256.0)
	require.GreaterOrEqual(t, idLength, 20)

	// Each character, but for the checksum's, takes every value: none of them is fixed.
	var values [idLength + randomLength]map[byte]bool
	for i := range values {
		values[i] = map[byte]bool{}
	}
	for range 3000 {
		token, err := NewToken(rand.Reader)
		require.NoError(t, err)
		for i, c := range []byte(token.ID + token.Secret[:randomLength]) {
			values[i][c] = true
		}
	}
	for i, seen := range values {
		require.Len(t, seen, 62, "character %d", i)
	}
}

// rules.md, Keys: CRC-32 (IEEE) of all before it, as six base62 digits (0-9A-Za-z), zero-padded.
func TestChecksum(t *testing.T) {
	for text, want := range map[string]string{
		"":          "000000",
		"123456789": "3jZRME", // the check value of CRC-32/ISO-HDLC: cbf43926
		"dg_live_" + vectorID + "_" + vectorRandom:                                   "1frvK9",
		"dg_live_0000000000000000000088_0000000000000000000000000000000000000000088": "00j6cG",
	} {
		require.Equal(t, want, checksum(text), text)
	}
}

// rules.md, Keys: the right shape decides; the server never decides by the checksum.
func TestParseToken(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"whole":            {vector, true},
		"a wrong checksum": {vector[:len(vector)-1] + "A", true},
		"another case": {
			"dg_live_" + strings.ToLower(vectorID) + "_" + vectorRandom + "1frvK9", true,
		},
		"empty":                {"", false},
		"the prefix alone":     {"dg_live_", false},
		"without the secret":   {"dg_live_" + vectorID, false},
		"with an empty secret": {"dg_live_" + vectorID + "_", false},
		"without the checksum": {vector[:len(vector)-6], false},
		"one character short":  {vector[:len(vector)-1], false},
		"one character long":   {vector + "A", false},
		"an id that is short": {
			"dg_live_" + vectorID[1:] + "_" + vectorRandom + "1frvK9", false,
		},
		"an id that is long": {
			"dg_live_A" + vectorID + "_" + vectorRandom + "1frvK9", false,
		},
		"id and secret out of step": {
			"dg_live_" + vectorID + "A_" + vectorRandom[1:] + "1frvK9", false,
		},
		"a newline at the end":        {vector + "\n", false},
		"a newline inside":            {vector[:20] + "\n" + vector[21:], false},
		"a blank before":              {" " + vector, false},
		"a blank after":               {vector + " ", false},
		"NUL at the end":              {vector + "\x00", false},
		"Arabic digits":               {strings.Replace(vector, "0123", "٠١٢٣", 1), false},
		"a fullwidth digit":           {vector[:len(vector)-1] + "９", false},
		"a Kelvin sign":               {strings.Replace(vector, "K", "\u212a", 1), false},
		"an underscore in the secret": {vector[:len(vector)-1] + "_", false},
		"a dash in the id":            {strings.Replace(vector, "0123", "01-3", 1), false},
		"a test prefix":               {strings.Replace(vector, "live", "test", 1), false},
		"a prefix in upper case":      {strings.Replace(vector, "dg_live", "DG_LIVE", 1), false},
		"the scheme":                  {"Bearer " + vector, false},
		"two":                         {vector + vector, false},
		"invalid UTF-8":               {vector[:len(vector)-1] + "\xff", false},
	} {
		t.Run(name, func(t *testing.T) {
			token, ok := ParseToken(c.text)
			require.Equal(t, c.ok, ok)
			if !ok {
				require.Zero(t, token, "what is refused is not half read")
				return
			}
			require.Equal(t, c.text, token.String())
		})
	}
}

// rules.md, Order of checks, 1: outside /api/v1/ a header that holds dg_live_, well formed or not,
// is audited where the id is known.
func TestFindID(t *testing.T) {
	for name, c := range map[string]struct{ text, id string }{
		"a token":                       {vector, vectorID},
		"behind any scheme":             {"bEARER   " + vector, vectorID},
		"of Basic":                      {"Basic user:" + vector, vectorID},
		"a truncated secret":            {vector[:40], vectorID},
		"no secret":                     {"dg_live_" + vectorID, vectorID},
		"no secret, something else":     {"dg_live_" + vectorID + ", x", vectorID},
		"a secret that is long":         {vector + "AAAA", vectorID},
		"the second, the first is none": {"dg_live_short dg_live_" + vectorID + "_x", vectorID},
		"nothing":                       {"", ""},
		"the prefix alone":              {"dg_live_", ""},
		"a short id":                    {"dg_live_" + vectorID[1:] + "_" + vectorRandom, ""},
		"a long id":                     {"dg_live_" + vectorID + "A_" + vectorRandom, ""},
		"another prefix":                {"dg_test_" + vectorID + "_" + vectorRandom, ""},
		"an Arabic digit in the id":     {"dg_live_" + strings.Replace(vectorID, "0", "٠", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			id, ok := FindID(c.text)
			require.Equal(t, c.id, id)
			require.Equal(t, c.id != "", ok)
		})
	}
}

// Each of the 62 characters is equally likely: chi-square over 200,000 draws from a source that is
// the same each time. 61 degrees of freedom: 130 is beyond one in a million; taking each byte
// modulo 62 gives some 4,000.
func TestRandomBase62IsUnbiased(t *testing.T) {
	const draws = 200_000
	text, err := randomBase62(mathrand.NewChaCha8([32]byte{1}), draws)
	require.NoError(t, err)
	require.Len(t, text, draws)
	expected := float64(draws) / 62
	chi := 0.0
	for _, c := range []byte(base62) {
		d := float64(strings.Count(text, string(c))) - expected
		chi += d * d / expected
	}
	require.Less(t, chi, 130.0)
}

// Without randomness there is no token: never one that is made of what was there.
func TestNewTokenFailsWithItsSource(t *testing.T) {
	dry := errors.New("the source is dry")
	for length := range 200 {
		source := io.MultiReader(bytes.NewReader(make([]byte, length)), iotest.ErrReader(dry))
		token, err := NewToken(source)
		if err == nil {
			require.GreaterOrEqual(t, length, idLength+randomLength)
			continue
		}
		require.ErrorIs(t, err, dry)
		require.Zero(t, token)
	}
}

func FuzzParseToken(f *testing.F) {
	for _, seed := range []string{
		vector, vector + "\n", vector[:60], "dg_live_", "", "dg_live_" + vectorID,
		"Bearer " + vector,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, found := FindID(text)
		if found && (len(id) != idLength || !strings.Contains(text, TokenPrefix+id)) {
			t.Fatalf("FindID(%q) = %q, which is no id in it", text, id)
		}
		token, ok := ParseToken(text)
		if !ok {
			return
		}
		if token.String() != text || len(token.ID) != idLength ||
			len(token.Secret) != randomLength+checksumLength {
			t.Fatalf("ParseToken(%q) = %+v", text, token)
		}
		if strings.Trim(token.ID+token.Secret, base62) != "" {
			t.Fatalf("ParseToken(%q) took characters beyond base62", text)
		}
		if !found || id != token.ID {
			t.Fatalf("FindID(%q) = %q, not the id of the token", text, id)
		}
	})
}
