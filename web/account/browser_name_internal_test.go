package account

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBrowserNameOfCommonUserAgents(t *testing.T) {
	t.Parallel()
	for userAgent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 " +
			"Firefox/140.0": "Firefox on Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0": "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like " +
			"Gecko) Version/18.0 Safari/605.1.15": "Safari on Mac",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, " +
			"like Gecko) CriOS/140.0 Mobile Safari/604.1": "Chrome on iPhone",
		"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 " +
			"Mobile Safari/537.36": "Chrome on Android",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 " +
			"Safari/537.36": "Chrome on Linux",
		"Firefox/1": "Firefox", "curl/8": "Unknown browser", "": "Unknown browser",
	} {
		require.Equal(t, want, browserName(userAgent), userAgent)
	}
}
