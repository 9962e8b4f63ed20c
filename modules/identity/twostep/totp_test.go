package twostep

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseTOTPSecret(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"JBSWY3DPEHPK3PXP": "JBSWY3DPEHPK3PXP", "jbswy3dpehpk3pxp": "JBSWY3DPEHPK3PXP",
		"GEZDGNBVGY3TQOJQGE======": "GEZDGNBVGY3TQOJQGE",
	} {
		got, ok := ParseSecret(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{
		"", "JBSWY3DP", "JBSWY3DPEHPK3PX1", "JBSW Y3DP EHPK 3PXP", "JBSWY3DP\nEHPK3PXP", "========",
		strings.Repeat("A", 201),
	} {
		_, ok := ParseSecret(text)
		assert.False(t, ok, "%q", text)
	}
}
