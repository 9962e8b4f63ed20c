package chaos

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// chaosRun checks what must hold after a suite has run on instances of one database:
//
//	o := beginChaos(t, apptest.AdminDBAt(t, db.URL), first, second)
//	o.saw(requestID, "export.started")
//	o.ends(t)
type chaosRun struct {
	conn      *apptest.AdminDB
	instances []*apptest.Child
	rest      map[*apptest.Child]map[string]int // goroutines before, by their stacks
	secrets   map[string]string                 // no log may hold them

	mu      sync.Mutex
	entries map[[2]string]int // request id and action that clients saw
}

// beginChaos counts the goroutines of the instances. Each must have answered a request before.
func beginChaos(t *testing.T, d *apptest.AdminDB, instances ...*apptest.Child) *chaosRun {
	t.Helper()
	o := &chaosRun{
		conn:      d,
		instances: instances,
		rest:      map[*apptest.Child]map[string]int{},
		secrets:   map[string]string{},
		entries:   map[[2]string]int{},
	}
	for _, c := range instances {
		o.rest[c] = goroutines(t, c)
	}
	return o
}

// saw records that a client got an answer that needs an audit entry: "api_key.refused" for a 401 or
// 403 to a key whose id is known, "export.started" for a CSV, "api_key.revoked" for a revocation.
func (o *chaosRun) saw(requestID, action string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entries[[2]string{requestID, action}]++
}

// ends reports every failed check. Clients must have closed their connections. Of ended instances
// only the log is checked.
func (o *chaosRun) ends(t *testing.T) {
	t.Helper()
	for _, problem := range o.problems(t) {
		t.Error(problem)
	}
}

func (o *chaosRun) problems(t *testing.T) []string {
	t.Helper()
	return slices.Concat(o.leaks(t), o.wrongSegments(t), o.missingEntries(t), o.shownSecrets(t))
}

// running are the instances that have not ended.
func (o *chaosRun) running() []*apptest.Child {
	return slices.DeleteFunc(slices.Clone(o.instances), func(c *apptest.Child) bool {
		select {
		case <-c.Exited:
			return true
		default:
			return false
		}
	})
}

// wrongSegments returns the segments that differ from those that are made anew from the plays.
func (o *chaosRun) wrongSegments(t *testing.T) (problems []string) {
	t.Helper()
	stored := apptest.Segments(t, o.conn)
	url := o.conn.Config().ConnString()
	c := apptest.Launch(t, "segments", "rebuild", "--database-url", url,
		"--migrate-database-url", url)
	if c.Status(5*time.Minute) != 0 {
		return []string{"dg segments rebuild: " + c.Out.String() + c.Log.String()}
	}
	for at, sum := range apptest.Segments(t, o.conn) {
		if was, ok := stored[at]; ok && was != sum {
			problems = append(problems, "the segment "+at+" differed from the plays")
		}
	}
	return problems
}

// missingEntries compares what clients saw with the audit log: each answer has one entry.
func (o *chaosRun) missingEntries(t *testing.T) (problems []string) {
	t.Helper()
	problems = o.otherEntries(t)
	unpaired := apptest.Read[int](t, o.conn,
		`select count(*) from audit_entries f where action = 'export.finished' and not exists (
		select from audit_entries s where s.action = 'export.started' and s.org_id = f.org_id
		  and s.details->>'exportId' = f.details->>'exportId')`)
	if unpaired > 0 {
		problems = append(problems, fmt.Sprintf("%d exports ended that never started", unpaired))
	}
	return problems
}

// otherEntries lists the requests whose number of entries is wrong. It takes one query, because a
// soak has a hundred thousand requests.
func (o *chaosRun) otherEntries(t *testing.T) (problems []string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	var ids, actions []string
	for seen := range o.entries {
		ids = append(ids, seen[0])
		actions = append(actions, seen[1])
	}
	rows, err := o.conn.Query(t.Context(),
		`select r.id, r.action, count(e.request_id) from unnest($1::text[], $2::text[]) r (id, action)
		left join audit_entries e on e.request_id = r.id and e.action = r.action group by 1, 2`,
		ids,
		actions)
	require.NoError(t, err)
	var id, action string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &action, &n}, func() error {
		if times := o.entries[[2]string{id, action}]; n != times {
			problems = append(problems,
				fmt.Sprintf("the request %s has %d entries %s, not %d", id, n, action, times))
		}
		return nil
	})
	require.NoError(t, err)
	return problems
}

// shownSecrets looks for secrets in logs, metrics, stacks and the audit log.
func (o *chaosRun) shownSecrets(t *testing.T) (problems []string) {
	t.Helper()
	s := apptest.Seen{"the audit log": apptest.Dump(t, o.conn, "audit_entries")}
	for i, c := range o.instances {
		s[fmt.Sprintf("the log of instance %d", i)] = c.Log.String()
		if at := strings.Index(c.Log.String(), "goroutine "); at >= 0 ||
			strings.Contains(c.Log.String(), "panicked") {
			problems = append(problems,
				fmt.Sprintf("instance %d panicked: %.2000s", i, c.Log.String()[max(0, at):]))
		}
	}
	for i, c := range o.running() {
		s[fmt.Sprintf("the metrics of instance %d", i)] = c.Operations("/metrics")
		s[fmt.Sprintf("the stacks of instance %d", i)] = c.Operations("/debug/pprof/goroutine?debug=2")
	}
	return append(problems, s.Finds(o.secrets)...)
}
