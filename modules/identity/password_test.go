package identity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

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
			"            ", "abcabcabcabc", "abcdefghijkl", "qwertyuiop12", "azertyuiop12",
			"1qaz2wsx3edc", "zxcvbnm,./12", "iloveyou1234", "welcome2026!!", "dgdgdgdgdgdg",
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
