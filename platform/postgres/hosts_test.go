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

// A connection whose server refuses writes, as a standby does, is closed: another one may lead to
// the primary.
func TestConnectionToStandbyIsClosed(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{MaxConns: 1})
	conn, err := db.Pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), `begin read only; create temporary sequence s`)
	if err == nil { // PostgreSQL allows temporary sequences
		_, err = conn.Exec(t.Context(), `select setval('s', 1); create table t (id int)`)
	}
	mentions(t, err, "25006")
	require.True(t, Unavailable(err))
	require.True(t, conn.Conn().IsClosed())
}
