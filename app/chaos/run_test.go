package chaos

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// requireRight requires that no answer was wrong, that each answer has its audit entry, and that
// nothing is left of the requests. The callers have closed their connections.
func requireRight(t *testing.T, db *testkit.World, dg *apptest.Child, callers ...*caller) {
	for _, c := range callers {
		t.Logf("%v", &c.answers)
		require.Empty(t, c.wrong[:min(5, len(c.wrong))])
		requireEntries(t, db, c.entries)
	}
	require.NotContains(t, dg.Log.String(), "panicked")
	require.NotContains(t, dg.Log.String(), "goroutine ")
	apptest.Until(t, 30*time.Second, "requests have left something", func() bool {
		return isAtRest(t, db, dg)
	})
}

// requireEntries requires as many entries of each request id and action as clients saw answers that
// need one: "api_key.refused" for a 401 to a key whose id is known, "export.started" for a CSV,
// "api_key.revoked" for a revocation. Each end of an export has its start.
func requireEntries(t *testing.T, db *testkit.World, seen map[[2]string]int) {
	var ids, actions []string
	var times []int
	for entry, n := range seen {
		ids = append(ids, entry[0])
		actions = append(actions, entry[1])
		times = append(times, n)
	}
	require.Empty(t, testkit.One[[]string](db, `select coalesce(array_agg(
			format('%s has %s entries %s, not %s', id, n, action, times)), '{}') from (
		select r.*, count(e.request_id) as n
		  from unnest($1::text[], $2::text[], $3::int[]) r (id, action, times)
		  left join audit_entries e on e.request_id = r.id and e.action = r.action
		  group by 1, 2, 3) r where n <> times`, ids, actions, times))
	require.Zero(t, db.Count(`audit_entries f
		where action = 'export.finished' and not exists (
			select from audit_entries s where s.action = 'export.started' and s.org_id = f.org_id
			  and s.details->>'exportId' = f.details->>'exportId')`))
}

// inUse finds the metrics that are 0 without requests, where they are not. A scrape itself may use a
// connection of a pool.
var inUse = regexp.MustCompile(
	`(?m)^(?:dg_work_running|dg_work_waiting|dg_http_connections_open)[^ ]* [^0]`)

func isAtRest(t *testing.T, db *testkit.World, dg *apptest.Child) bool {
	metrics := dg.Operations("/metrics")
	require.Contains(t, metrics, "\ndg_work_running")
	require.Contains(t, metrics, "\ndg_http_connections_open")
	return !inUse.MatchString(metrics) && db.Count(`pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid()
		and application_name ~ '^dg (requests|snapshots|recheck)$' and state <> 'idle'`) == 0
}
