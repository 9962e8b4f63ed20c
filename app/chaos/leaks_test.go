package chaos

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// goroutineSlack is how many more goroutines an idle instance may have than before: runtime and
// drivers keep some.
const goroutineSlack = 5

// leaksGoneWithin bounds the wait until nothing is left.
const leaksGoneWithin = 30 * time.Second

// leaks waits until the requests have left no goroutine, connection, place of a limiter or
// statement.
func (o *chaosRun) leaks(t *testing.T) (problems []string) {
	t.Helper()
	for deadline := time.Now().Add(leaksGoneWithin); ; <-time.After(20 * time.Millisecond) {
		problems = nil
		for i, c := range o.running() {
			for _, left := range append(busy(t, c),
				moreGoroutines(o.rest[c], goroutines(t, c))...) {
				problems = append(problems, fmt.Sprintf("instance %d still has %s", i, left))
			}
		}
		statements := apptest.Read[string](t, o.conn,
			`select coalesce(string_agg(application_name || ' ' || state || ' ' || left(query, 100), '; '), '')
			from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
			and application_name ~ '^dg (requests|snapshots|recheck)$' and state <> 'idle'`)
		if statements != "" {
			problems = append(problems, "the database still works: "+statements)
		}
		if len(problems) == 0 || time.Now().After(deadline) {
			return problems
		}
	}
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

// goroutines counts an instance's goroutines by their stacks, without fasthttp's idle workers,
// which wait 10 s for work.
func goroutines(t *testing.T, c *apptest.Child) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for block := range strings.SplitSeq(c.Operations("/debug/pprof/goroutine?debug=1"),
		"\n\n") {
		count := 0
		stack := []string{}
		for line := range strings.Lines(block) {
			if n, _, ok := strings.Cut(line, " @ "); ok {
				count, _ = strconv.Atoi(n)
			} else if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "#" {
				name, _, _ := strings.Cut(fields[2], "+0x")
				stack = append(stack, name)
			}
		}
		if len(stack) > 0 && !strings.HasSuffix(stack[0], "(*workerPool).workerFunc") {
			counts[strings.Join(stack[:min(len(stack), 8)], " < ")] += count
		}
	}
	require.NotEmpty(t, counts)
	return counts
}

// moreGoroutines returns the stacks with more goroutines than before, if the total exceeds the
// slack.
func moreGoroutines(before, now map[string]int) (more []string) {
	total := 0
	for stack, n := range now {
		total += n
		if n > before[stack] {
			more = append(more,
				fmt.Sprintf("%d goroutines, before %d, in %s", n, before[stack], stack))
		}
	}
	for _, n := range before {
		total -= n
	}
	if total <= goroutineSlack {
		return nil
	}
	slices.Sort(more)
	return more
}
