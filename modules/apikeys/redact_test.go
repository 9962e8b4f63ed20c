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
	separated := func(by string) string { return strings.ReplaceAll(vector, "_", by) }
	cut := len(vector) - 20
	for _, text := range []string{
		vector, "/x/" + vector + "/y", vector + "," + vector, vector + "AAAA", vector[:cut],
		vector[31:], vector[:30] + ":" + vector[31:], "DG_LIVE_" + vector[8:], "Dg_Live_" + vector[8:],
		separated("%5F"), separated("%5f"), separated("%255F"),
		separated("%" + strings.Repeat("25", 30) + "5F"), separated("__"), separated("_%5F"),
		separated("-"), separated(""), separated("%E2%80%BF"), everyByte, twice,
		"%64g_live_" + vector[8:], "%zz%" + separated("%5F") + "%4",
		url.PathEscape("ü") + strings.ReplaceAll(vector[:cut], "_", "%5f"),
	} {
		got := Redact(text)
		require.NotContains(t, got, vectorRandom[22:28], text)
		require.NotContains(t, got, fmt.Sprintf("%02X%%%02X", vectorRandom[22], vectorRandom[23]), text)
		require.Contains(t, got, "…", text)
	}
	require.Equal(t, "/x/dg_live_"+vectorID+"_…/y", Redact("/x/"+vector+"/y"),
		"the id is no secret, and says which key it was")
}

// A text without a secret is not changed.
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
