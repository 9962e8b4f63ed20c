package ui

import (
	"net/url"
	"testing"
	"testing/quick"

	"github.com/stretchr/testify/require"
)

// Whatever a link says, what follows the sign-in is a path of this site: a browser that resolves it
// stays on the host.
func TestLocalPathStaysOnTheSite(t *testing.T) {
	t.Parallel()
	for _, next := range []string{
		"//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, `\/evil.example`,
		"/%2fevil.example", "/%2Fevil.example", "/%5cevil.example", "https://evil.example",
		"https:evil.example", "https:/evil.example", "javascript:alert(1)", "evil.example",
		"@evil.example", ".evil.example", " //evil.example", "/\t/evil.example",
		"\t//evil.example", "/\n/evil.example", "/\r\nLocation: https://evil.example",
		"/\x00/evil.example", "/\x0b/evil.example", "/\x7f/evil.example",
		"//evil.example/%2f..", "//user@/evil", "///user@/evil", "/%", "",
	} {
		require.Equal(t, "/", LocalPath(next), "%q", next)
	}
	for _, next := range []string{
		"/account", "/o/a%2Fb/reports?from=2026-01-01&to=2026-01-02", "/docs?x=//evil.example",
		"/x//y", "/é", "/o/%C3%A9/reports",
	} {
		require.Equal(t, next, LocalPath(next))
	}
	base, err := url.Parse("https://dg.example/sign-in")
	require.NoError(t, err)
	require.NoError(t, quick.Check(func(prefix uint8, rest string) bool {
		next := []string{"/", "//", `/\`, "/%2f", "https:", ""}[prefix%6] + rest
		resolved, err := base.Parse(LocalPath(next))
		return err == nil && resolved.Host == base.Host && resolved.Scheme == base.Scheme
	}, nil))
}
