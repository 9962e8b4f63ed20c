package apptest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Segments returns the checksum of each segment that reports may read.
func Segments(t *testing.T, d *AdminDB) (sums map[string]string) {
	t.Helper()
	text := Read[[]byte](t, d, `select coalesce(json_object_agg(at, sum), '{}') from (
		select 'day ' || fork_id || ' ' || day as at, md5(sums || segment) as sum
		  from fork_days d where not exists (
			select from unsealed_days u where (u.fork_id, u.day) = (d.fork_id, d.day))
		union all select 'month ' || fork_id || ' ' || month, md5(segment)
		  from fork_months m where not exists (
			select from unsealed_months u where (u.fork_id, u.month) = (m.fork_id, m.month))) s`)
	require.NoError(t, json.Unmarshal(text, &sums))
	return sums
}
