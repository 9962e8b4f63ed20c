package identity

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEmailKey(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "ann@example.com", EmailKey("Ann@EXAMPLE.com"))
	assert.Equal(t, EmailKey("Zoe\u0308@example.com"), EmailKey("ZO\u00cb@example.com"))
	assert.NotEqual(t, EmailKey("ann@example.com"), EmailKey("ann@example.org"))
}
