package input_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/input"
)

func TestFoldIgnoresCaseAndAccents(t *testing.T) {
	for text, want := range map[string]string{
		"":                "",
		"Dock  7":         "dock  7",
		"\tDock 7\t":      "dock 7",
		"Élodie":          "elodie",
		"E\u0301LODIE":    "elodie",
		"Straße":          "strasse",
		"STRAẞE":          "strasse",
		"Łódź":            "lodz",
		"ΟΔΟΣ":            "οδοσ",
		"οδος":            "οδοσ",
		"İstanbul":        "istanbul",
		"ﬁlm":             "film",
		"ＡＢＣ":             "abc",
		"أحمد":            "احمد",
		"日本":              "日本",
		"\u00a0Ann\u2009": "ann",
	} {
		require.Equal(t, want, input.Fold(text), "%q", text)
		require.Equal(t, want, input.Fold(want), "folded already")
	}
}
