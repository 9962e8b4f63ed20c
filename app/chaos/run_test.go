package chaos

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// chaosRun checks what must hold after a suite has run on dg.
type chaosRun struct {
	conn *testkit.World
	dg   *apptest.Child
	rest int // goroutines before
}

// goroutineSlack is how many more goroutines dg may have when it is idle again: runtime and drivers
// keep some.
const goroutineSlack = 5

// beginChaos counts the goroutines of dg, which must have answered a request before.
func beginChaos(t *testing.T, d *testkit.World, dg *apptest.Child) *chaosRun {
	t.Helper()
	count, _ := goroutines(dg)
	return &chaosRun{d, dg, count}
}

// ends requires that no answer was wrong, that each answer has its audit entry, and that nothing is
// left of the requests. The callers have closed their connections.
func (o *chaosRun) ends(t *testing.T, callers ...*caller) {
	t.Helper()
	for _, c := range callers {
		t.Logf("%v", &c.answers)
		require.Empty(t, c.wrong[:min(5, len(c.wrong))])
		o.requireEntries(t, c.entries)
	}
	require.NotContains(t, o.dg.Log.String(), "panicked")
	require.NotContains(t, o.dg.Log.String(), "goroutine ")
	var left []string
	for deadline := time.Now().Add(30 * time.Second); ; <-time.After(20 * time.Millisecond) {
		if left = o.leaks(t); len(left) == 0 || time.Now().After(deadline) {
			break
		}
	}
	require.Empty(t, left)
}

// requireEntries requires as many entries of each request id and action as clients saw answers that
// need one: "api_key.refused" for a 401 to a key whose id is known, "export.started" for a CSV,
// "api_key.revoked" for a revocation. Each end of an export has its start.
func (o *chaosRun) requireEntries(t *testing.T, seen map[[2]string]int) {
	t.Helper()
	var ids, actions []string
	var times []int
	for entry, n := range seen {
		ids = append(ids, entry[0])
		actions = append(actions, entry[1])
		times = append(times, n)
	}
	require.Empty(t, testkit.One[[]string](o.conn, `select coalesce(array_agg(
			format('%s has %s entries %s, not %s', id, n, action, times)), '{}') from (
		select r.*, count(e.request_id) as n
		  from unnest($1::text[], $2::text[], $3::int[]) r (id, action, times)
		  left join audit_entries e on e.request_id = r.id and e.action = r.action
		  group by 1, 2, 3) r where n <> times`, ids, actions, times))
	require.Zero(t, testkit.One[int](o.conn, `select count(*) from audit_entries f
		where action = 'export.finished' and not exists (
			select from audit_entries s where s.action = 'export.started' and s.org_id = f.org_id
			  and s.details->>'exportId' = f.details->>'exportId')`))
}

// leaks lists goroutines, connections, slots of limiters and statements that requests have left.
func (o *chaosRun) leaks(t *testing.T) (left []string) {
	t.Helper()
	left = busy(t, o.dg)
	if count, stacks := goroutines(o.dg); count > o.rest+goroutineSlack {
		left = append(left, fmt.Sprintf("%d goroutines, before %d: %s", count, o.rest, stacks))
	}
	return append(left, testkit.One[[]string](o.conn, `select coalesce(array_agg(
			concat_ws(' ', application_name, state, left(query, 100))), '{}')
		from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
		and application_name ~ '^dg (requests|snapshots|recheck)$' and state <> 'idle'`)...)
}

// atRest finds the metrics that are 0 without requests.
var atRest = regexp.MustCompile(
	`(?m)^((?:dg_work_running|dg_work_waiting|dg_http_connections_open|pgxpool_(?:acquired|constructing)_conns)[^ ]*) (\S+)$`,
)

// busy returns the metrics of work and connections that are not 0. A scrape itself uses a
// connection, so only what five scrapes show counts.
func busy(t *testing.T, c *apptest.Child) (busy []string) {
	t.Helper()
	for range 5 {
		busy = nil
		found := atRest.FindAllStringSubmatch(c.Operations("/metrics"), -1)
		require.Greater(t, len(found), 8, "the metrics have other names")
		for _, m := range found {
			if m[2] != "0" {
				busy = append(busy, m[1]+" = "+m[2])
			}
		}
		if busy == nil {
			break
		}
	}
	return busy
}

// countOfStack begins a block of the profile: how many goroutines have the stack.
var countOfStack = regexp.MustCompile(`(?m)^(\d+) @ `)

// goroutines counts those of dg, without fasthttp's idle workers, which wait 10 s for work.
func goroutines(c *apptest.Child) (count int, stacks string) {
	c.T.Helper()
	stacks = c.Operations("/debug/pprof/goroutine?debug=1")
	for block := range strings.SplitSeq(stacks, "\n\n") {
		found := countOfStack.FindStringSubmatch(block)
		if found != nil && !strings.Contains(block, "(*workerPool).workerFunc+") {
			n, _ := strconv.Atoi(found[1])
			count += n
		}
	}
	return count, stacks
}
