package apikeys

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dg/platform/postgres"
)

// Another program computed the checksum of vectorToken: the CRC-32 is 1534814349, or 1frvK9 in 0-9A-Za-z.
const (
	vectorID     = "0123456789ABCDEFGHIJKL"
	vectorRandom = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"
	vectorToken  = "dg_live_" + vectorID + "_" + vectorRandom + "1frvK9"
)

const tokenRegexpText = `dg_live_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}`

var tokenReferencePattern = regexp.MustCompile(`\A` + tokenRegexpText + `\z`)

// rules.md, Keys: a token is dg_live_<id>_<secret> with fixed lengths, and the secret ends with the
// checksum. The secret has at least 256 random bits, the id at least 20 random characters. Each of
// the 62 characters is equally likely: chi-square with 61 degrees of freedom exceeds 160 once in
// ten billion times. Random bytes modulo 62 would give about 4,000.
func TestTokenHasEnoughRandomBits(t *testing.T) {
	require.GreaterOrEqual(t, float64(randomLength)*math.Log2(62), 256.0)
	require.GreaterOrEqual(t, idLength, 20)

	var randomText strings.Builder
	for range 3000 {
		token := NewToken()
		text := token.String()
		require.True(t, tokenReferencePattern.MatchString(text), text)
		require.Equal(t, checksum(text[:len(text)-6]), text[len(text)-6:])
		randomText.WriteString(token.ID + token.Secret[:randomLength])
	}
	expected := float64(randomText.Len()) / 62
	chiSquare := 0.0
	for _, c := range []byte(base62) {
		deviation := float64(strings.Count(randomText.String(), string(c))) - expected
		chiSquare += deviation * deviation / expected
	}
	require.Less(t, chiSquare, 160.0)
}

// rules.md, Keys: the checksum is the CRC-32 (IEEE) of the text before it, in six base62 digits.
func TestChecksumIsCRC32InBase62(t *testing.T) {
	for text, want := range map[string]string{
		"":          "000000",
		"123456789": "3jZRME", // the check value of CRC-32/ISO-HDLC: cbf43926
		"dg_live_" + vectorID + "_" + vectorRandom:                                   "1frvK9",
		"dg_live_0000000000000000000088_0000000000000000000000000000000000000000088": "00j6cG",
	} {
		require.Equal(t, want, checksum(text), text)
	}
}

// rules.md, Keys: ParseToken accepts a well-formed token with any checksum, and FindID finds its id.
func TestTokenIsParsedByItsForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		original := rapid.OneOf(rapid.StringMatching(tokenRegexpText), rapid.Just(vectorToken), rapid.String()).
			Draw(t, "text")
		for i := range len(original) {
			for _, text := range []string{
				original, original[:i] + original[i+1:], original[:i] + "A" + original[i:], original + original[i:],
				original[:i] + "-" + original[i+1:], original[:i] + "é" + original[i+1:], original + "\n",
				original[:i] + " " + original[i:], strings.ToUpper(original), strings.ToLower(original),
			} {
				token, ok := ParseToken(text)
				id := FindID(text)
				require.Equal(t, tokenReferencePattern.MatchString(text), ok, "%q", text)
				require.True(t, id == "" || len(id) == idLength && strings.Contains(text, TokenPrefix+id))
				require.True(t, !ok || token.String() == text && token.ID == id, "%q", text)
				require.True(t, ok || token == Token{}, "no part of a rejected token is returned")
			}
		}
	})
}

// rules.md, Keys: a secret is never logged, in whatever form a path or a user agent contains it.
func TestRedactRemovesSecrets(t *testing.T) {
	t.Parallel()
	encoded := ""
	for _, b := range []byte(vectorToken) {
		encoded += fmt.Sprintf("%%%02X", b)
	}
	encodedTwice := strings.ReplaceAll(encoded, "%", "%25")
	withSeparator := func(separator string) string { return strings.ReplaceAll(vectorToken, "_", separator) }
	truncatedLen := len(vectorToken) - 20
	for _, text := range []string{
		vectorToken, "/x/" + vectorToken + "/y", vectorToken + "," + vectorToken, vectorToken + "AAAA",
		vectorToken[:truncatedLen], vectorToken[31:], vectorToken[31:74],
		vectorToken[:30] + ":" + vectorToken[31:], "DG_LIVE_" + vectorToken[8:], "Dg_Live_" + vectorToken[8:],
		withSeparator("%5F"), withSeparator("%5f"), withSeparator("%255F"), withSeparator("-"),
		withSeparator("%" + strings.Repeat("25", 30) + "5F"), withSeparator("__"), withSeparator("_%5F"),
		withSeparator(""), withSeparator("%E2%80%BF"), encoded, encodedTwice,
		"%64g_live_" + vectorToken[8:], "%zz%" + withSeparator("%5F") + "%4",
		url.PathEscape("ü") + strings.ReplaceAll(vectorToken[:truncatedLen], "_", "%5f"),
	} {
		redacted := Redact(text)
		require.NotContains(t, redacted, vectorRandom[22:28], text)
		require.NotContains(t, redacted, fmt.Sprintf("%02X%%%02X", vectorRandom[22], vectorRandom[23]), text)
		require.Contains(t, redacted, "…", text)
	}
	require.Equal(t, "/x/dg_live_"+vectorID+"_…/y", Redact("/x/"+vectorToken+"/y"),
		"the id is no secret, and says which key it was")
	for _, text := range []string{
		"", "/api/v1/forks/0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e40/stats", "dg_live_" + vectorID,
		"dg_live_", "/%zz%", "/caf%C3%A9/%2F", "100%",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 " +
			"Safari/537.36", strings.Repeat("%25", 500),
	} {
		require.Equal(t, text, Redact(text))
	}
}

// The counter has at most maxUsageCounts entries. A full counter still counts the keys that it has.
func TestCounterIsBounded(t *testing.T) {
	c := UsageCounter{counts: map[usageKey]counts{}}
	for i := range maxUsageCounts + 10 {
		c.add(usageKey{"o", strconv.Itoa(i), 1}, counts{accepted: 1})
	}
	c.add(usageKey{"o", "0", 1}, counts{refused: 1, limited: 2})
	require.Len(t, c.counts, maxUsageCounts)
	require.Equal(t, counts{1, 1, 2}, c.counts[usageKey{"o", "0", 1}])
}

// Run attempts to store usage at each interval. A failed attempt loses no counts, and later attempts follow.
func TestUsageIsStoredAtEachInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, err := pgxpool.New(t.Context(), "")
		require.NoError(t, err)
		pool.Close() // each attempt fails
		attempts := 0
		c := UsageCounter{
			db: &postgres.DB{Pool: pool}, counts: map[usageKey]counts{{}: {accepted: 1}},
			now: func() time.Time { attempts++; return time.Now() },
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*storeInterval+1)
		defer cancel()
		c.Run(ctx, slog.Default())
		require.Equal(t, 3, attempts)
		require.Equal(t, map[usageKey]counts{{}: {accepted: 1}}, c.counts)
	})
}

// authenticate.sql contains postgres.PositionExpression, because replicas are compared with such a position.
func TestAuthenticationReadsThePrimaryLSN(t *testing.T) {
	joinWords := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	require.Contains(t, joinWords(authenticateSQL), joinWords(postgres.PositionExpression))
}
