package postgres

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Of several hosts the next is tried soon, and a standby is none of them.
func TestSeveralHostsHaveLittleTimeEach(t *testing.T) {
	t.Parallel()
	for hosts, timeout := range map[string]time.Duration{"a": connectTimeout, "a,b": hostTimeout} {
		config, err := parseURL("postgres://dg_app@" + hosts + "/dg?sslmode=prefer")
		require.NoError(t, err)
		prepareHosts(&config.ConnConfig.Config)
		require.Equal(t, timeout, config.ConnConfig.ConnectTimeout)
		require.Equal(t, timeout == hostTimeout, config.ConnConfig.ValidateConnect != nil)
	}
}
