package password

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

func TestCommonPasswordsAreRefused(t *testing.T) {
	t.Parallel()
	for _, common := range []string{
		"password1234", "Password123!", "P@ssw0rd1234", "passwordpassword", "mypassword!!",
		"MotDePasse2026", "contraseña123", "passwort12345",
		"123456789012", "098765432109", "111111111111", "aaaaaaaaaaaa", "            ",
		"abcabcabcabc", "abcdefghijkl", "qwertyuiop12", "qwertz123456",
		"azertyuiop12", "1qaz2wsx3edc", "zxcvbnm,./12", "qwerty123456", "letmein12345",
		"iloveyou1234", "changeme2026", "welcome2026!!", "administrator1",
		"Summer2026!!", "dgdgdgdgdgdg", "dg-reporting-dg", "correct horse battery staple",
		"december2026", "😀😀😀😀😀😀😀😀😀😀😀😀", "monkeydragon12",
	} {
		err := Check(common, "ann@example.com")
		require.True(t, apperr.Is(err, apperr.Validation), common)
		require.Contains(t, apperr.From(err).Message, "too common")
	}
	for _, accepted := range []string{
		"correct horse battery", "battery horse staple", "Zoe and friends", "twelve chars",
		"839201748261", "kx7-Qp2-mV9-tL4", "owner-of-harbour",
		"the dog ate my passport", "j'aime les crêpes", "Zürich im Regen", "日本語のパスワードは長い",
	} {
		require.NoError(t, Check(accepted, "ann@example.com"), accepted)
	}
	for _, own := range []string{
		"maren.solheim@harbour.example", "Maren.Solheim", "maren.solheim2026!",
	} {
		require.Contains(t,
			apperr.From(Check(own, "maren.solheim@harbour.example")).Message,
			"your e-mail", own)
	}
	require.Error(t, Check(string(make([]byte, 1000)), ""))
}
