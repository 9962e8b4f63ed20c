package apikeys

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Keys: a secret is never logged, however it was written into a path or a user agent.
func TestRedactRemovesSecrets(t *testing.T) {
	t.Parallel()
	everyByte := ""
	for _, b := range []byte(vector) {
		everyByte += fmt.Sprintf("%%%02X", b)
	}
	twice := strings.ReplaceAll(everyByte, "%", "%25")
	for name, text := range map[string]string{
		"as it is":               vector,
		"in a path":              "/x/" + vector + "/y",
		"the underscore encoded": strings.ReplaceAll(vector, "_", "%5F"),
		"in lower case":          strings.ReplaceAll(vector, "_", "%5f"),
		"encoded twice":          strings.ReplaceAll(vector, "_", "%255F"),
		"encoded many times": strings.ReplaceAll(vector, "_",
			"%"+strings.Repeat("25", 30)+"5F"),
		"every character encoded":   everyByte,
		"every character, twice":    twice,
		"the first letter encoded":  "%64g_live_" + vector[8:],
		"a doubled underscore":      strings.ReplaceAll(vector, "_", "__"),
		"doubled and encoded":       strings.ReplaceAll(vector, "_", "_%5F"),
		"the prefix in upper case":  "DG_LIVE_" + vector[8:],
		"the prefix in mixed case":  "Dg_Live_" + vector[8:],
		"dashes for underscores":    strings.ReplaceAll(vector, "_", "-"),
		"without separators":        strings.ReplaceAll(vector, "_", ""),
		"a colon before the secret": vector[:30] + ":" + vector[31:],
		"the secret alone":          vector[31:],
		"beside a broken escape":    "%zz%" + strings.ReplaceAll(vector, "_", "%5F") + "%4",
		"two":                       vector + "," + vector,
		"the secret and more":       vector + "AAAA",
		"a part of the secret":      vector[:len(vector)-20],
		"a part, encoded": url.PathEscape("ü") +
			strings.ReplaceAll(vector[:len(vector)-20], "_", "%5f"),
		"an unknown separator": strings.ReplaceAll(vector, "_", "%E2%80%BF"),
	} {
		got := Redact(text)
		require.NotContains(t, got, vectorRandom[22:28], name)
		require.NotContains(t, got, fmt.Sprintf("%02X%%%02X", vectorRandom[22], vectorRandom[23]),
			name)
		require.Contains(t, got, "…", name)
	}
	require.Equal(t, "/x/dg_live_"+vectorID+"_…/y", Redact("/x/"+vector+"/y"),
		"the id is no secret, and says which key it was")
}

// What holds no secret is logged as it came.
func TestRedactKeepsOtherText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "/api/v1/forks/0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e40/stats", "dg_live_" + vectorID,
		"dg_live_", "/%zz%", "/caf%C3%A9/%2F", "100%",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 " +
			"Safari/537.36", strings.Repeat("%25", 500),
	} {
		require.Equal(t, text, Redact(text))
	}
}

// However deep its escapes, a text of the longest target costs no more than some passes over it.
func BenchmarkRedactDeepEscapes(b *testing.B) {
	text := "%" + strings.Repeat("25", 2000)
	for b.Loop() {
		Redact(text)
	}
}
