package apikeys

import (
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkParseToken(b *testing.B) {
	token, err := NewToken(rand.Reader)
	require.NoError(b, err)
	text := token.String()
	parsed, ok := ParseToken(text)
	require.True(b, ok)
	require.Equal(b, token, parsed)
	for b.Loop() {
		ParseToken(text)
	}
}
