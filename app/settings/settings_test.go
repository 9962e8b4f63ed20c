package settings

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// configs/deploy/operations.md, Settings: values are quoted as in systemd's EnvironmentFile
// (systemd.exec(5)), so that the unit and dg --config read a file alike.
func TestSettingsAreQuotedAsForSystemd(t *testing.T) {
	t.Parallel()
	for line, value := range map[string]string{
		`A=plain`: "plain", `A= blanks around `: "blanks around", `A="in two"`: "in two",
		`A='in one'`: "in one", `A='a\b"c'`: `a\b"c`, `A="a\b\"c\\d\$e"`: `a\b"c\d$e`,
		`A=a\b\\c`: `ab\c`, `A=p$a'ss`: `p$a'ss`, `A=a"b`: `a"b`, `A="a"'b'c`: "abc",
		`A=`: "", `A=""`: "", ` A=x`: "x", `A=a=b#c`: "a=b#c",
	} {
		read, err := parseSettings(line)
		require.NoError(t, err, line)
		require.Equal(t, map[string]string{"A": value}, read, line)
	}
	for _, line := range []string{`A="x`, `A='x`, `A=x\`, `A="x\"`} {
		_, err := parseSettings("# one\n; two\n" + line)
		require.ErrorContains(t, err, "line 3: the quote or backslash of A", line)
	}
	_, err := parseSettings("\nA=a\nA=b")
	require.ErrorContains(t, err, "line 3 sets A a second time")
}
