package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The position of a read covers what was flushed before it, and lies on the server's timeline.
func TestPositionIsTheFlushedLSN(t *testing.T) {
	url, _ := newDatabase(t)
	before := query[uint64](t, url, `select (pg_current_wal_flush_lsn() - '0/0')::bigint`)
	at := query[Position](t, url, `select `+PositionExpression)
	require.GreaterOrEqual(t, at.LSN, before)
	require.Equal(t, uint32(1), at.Timeline)
	require.Zero(t, query[Position](t, url, `select null::text`))
}
