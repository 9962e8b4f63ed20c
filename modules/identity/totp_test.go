package identity

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"
)

// import.md, totpSecret: an imported secret is base32 of at least 80 bits and at most 200 characters.
// Case and padding do not matter, blanks are refused.
func TestImportedTOTPSecretsAreBase32(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"JBSWY3DPEHPK3PXP": "JBSWY3DPEHPK3PXP", "jbswy3dpehpk3pxp": "JBSWY3DPEHPK3PXP",
		"GEZDGNBVGY3TQOJQGE======": "GEZDGNBVGY3TQOJQGE",
	} {
		got, ok := ParseTOTPSecret(text)
		require.True(t, ok, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{
		"", "JBSWY3DP", "JBSWY3DPEHPK3PX1", "JBSW Y3DP EHPK 3PXP", "JBSWY3DP\nEHPK3PXP", "========",
		strings.Repeat("A", 201),
	} {
		_, ok := ParseTOTPSecret(text)
		require.False(t, ok, "%q", text)
	}
}

// A code is accepted as keyboards, apps and the clipboard write it.
func TestCodesAreAcceptedInEverySpelling(t *testing.T) {
	t.Parallel()
	const secret = "JBSWY3DPEHPK3PXP"
	now := time.Now()
	code, err := totp.GenerateCode(secret, now)
	require.NoError(t, err)
	recovery := newRecoveryCode()
	want, ok := parseRecoveryCode(recovery)
	require.True(t, ok)
	for _, between := range []string{
		"", " ", "\u00a0", "\u202f", "-", "\u2011", "\u200b", "\u200e", "\ufeff", "\t", "\u00ad",
	} {
		_, ok := matchTOTP(secret, between+code[:3]+between+wide(code[3:])+between, now, 0)
		require.True(t, ok, "%q", between)
		spelled := between + strings.ReplaceAll(recovery, "-", between) + between
		for _, text := range []string{spelled, wide(recovery)} {
			got, ok := parseRecoveryCode(text)
			require.True(t, ok, "%q", text)
			require.Equal(t, want, got)
		}
	}
	for _, zero := range []rune{'\u0660', '\u06f0'} { // Arabic-Indic, Persian
		_, ok := matchTOTP(secret, strings.Map(func(r rune) rune { return r - '0' + zero }, code), now, 0)
		require.True(t, ok, "%q", zero)
	}
	for _, text := range []string{code[:5], code + "0", "x" + code, ""} {
		_, ok := matchTOTP(secret, text, now, 0)
		require.False(t, ok, "%q", text)
	}
}

// The account's name in the address of an app's entry has no character that an app reads otherwise.
func TestAccountNameInTheAddressIsEncoded(t *testing.T) {
	t.Parallel()
	require.Equal(t, "otpauth://totp/DG:ann%2Bdg@example.com?secret=S&issuer=DG",
		totpURL("ann+dg@example.com", "S"))
}

func wide(text string) string {
	return strings.Map(func(r rune) rune { return r + '\uff01' - '!' }, text)
}
