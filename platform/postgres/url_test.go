package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The error of a URL names the option or the file at fault.
func TestUnreadableURLNamesItsFault(t *testing.T) {
	t.Parallel()
	for tail, want := range map[string]string{
		"host/dg?sslrootcert=/nowhere.pem":    "open /nowhere.pem: no such file",
		"host/dg?sslrootcert=/dev/null":       "unable to add CA to cert pool",
		"host/dg?sslmode=verify":              "sslmode is invalid",
		"host/dg?sslcert=/a.pem":              `"sslkey" are required`,
		"host/dg?connect_timeout=abc":         "invalid connect_timeout",
		"host/dg?target_session_attrs=master": "target_session_attrs value: master",
		"host/dg?pool_max_conns=x":            "cannot parse pool_max_conns",
		"host/dg?default_query_exec_mode=x":   "invalid default_query_exec_mode",
		"host:abc/dg":                         "invalid port",
		"a,b/dg?port=1,2,3":                   "3 port numbers to 2 hosts",
		"word@host/dg":                        "percent-encoded",
		"host/dg?application_name=a@b":        "percent-encoded",
	} {
		_, err := RoleOf("postgres://dg:pass@" + tail)
		require.ErrorContains(t, err, want, tail)
		require.NotContains(t, err.Error(), "pass@", tail)
	}
	for _, url := range []string{
		"postgres://dg:p%40ss?word@host/dg", "postgres://dg%40corp@host/dg?application_name=a%40b",
		"postgresql:///dg?host=/tmp&user=dg@corp", "postgres://host",
	} {
		_, err := RoleOf(url)
		require.NoError(t, err, url)
	}
}
