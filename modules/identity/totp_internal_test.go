package identity

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
		got, ok := ParseTOTPSecret(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{
		"", "JBSWY3DP", "JBSWY3DPEHPK3PX1", "JBSW Y3DP EHPK 3PXP", "JBSWY3DP\nEHPK3PXP", "========",
		strings.Repeat("A", 201),
	} {
		_, ok := ParseTOTPSecret(text)
		assert.False(t, ok, "%q", text)
	}
}

func TestEmailKey(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "ann@example.com", EmailKey("Ann@EXAMPLE.com"))
	assert.Equal(t, EmailKey("Zoe\u0308@example.com"), EmailKey("ZO\u00cb@example.com"))
	assert.NotEqual(t, EmailKey("ann@example.com"), EmailKey("ann@example.org"))
}
