package exports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
)

// rules.md, CSV: the file name is ASCII, with the slug, the period and the group, for any slug.
func TestFileNamesAreASCII(t *testing.T) {
	t.Parallel()
	period, err := reports.ParsePeriod("2024-02-29", "2024-03-01")
	require.NoError(t, err)
	for slug, name := range map[string]string{
		"onboarding_2024-A":        "onboarding_2024-A_",
		"a\"; filename=\"evil.exe": "a-filename-evil-exe_",
		"../../etc/passwd":         "etc-passwd_",
		"a\r\nSet-Cookie: x=y":     "a-Set-Cookie-x-y_",
		"größe":                    "gr-e_",
		"-rf":                      "rf_",
		"\u202efdp.exe":            "fdp-exe_",
		"日本":                       "",
		"":                         "",
		strings.Repeat("ab", 2000): strings.Repeat("ab", 40) + "_",
	} {
		for group, below := range map[string]string{"": "", "g-1": "_group-g-1"} {
			require.Equal(t, name+"2024-02-29_2024-03-01"+below+".csv",
				fileName(slug, reports.Query{Period: period, GroupID: group}), "%q", slug)
		}
	}
}
