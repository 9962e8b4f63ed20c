package chaos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// healthyCall is one thing that a customer does who harms nobody.
type healthyCall struct {
	name  string
	right string // what a right answer contains; every one is a whole 200
	ask   func() (path string, headers []string)
}

// healthy is the traffic of such a customer: each call by a client that keeps its connection and by
// one that opens a new connection each time, each every interval.
type healthy struct {
	base     string
	calls    []healthyCall
	interval time.Duration
	client   func(keep bool) *http.Client
	send     func(c *http.Client) error // in place of the GET of a call; nil: none
}

// healthyKeys is how many keys the traffic uses in turn: their 120 requests a minute are never used
// up.
const healthyKeys = 60

// newHealthy stores a customer with a fork of a few thousand plays, and returns the calls of its
// tools and of its owner: the fork list, statistics and a report's screen. signIn returns the
// cookie of a session.
func newHealthy(
	t *testing.T, db *fixtures.Database, base string, signIn func(email string) string,
) *healthy {
	t.Helper()
	o := db.Organisation(fixtures.Organisation{})
	fork := db.Fork(fixtures.Fork{
		OrganisationID: o.ID,
		CreatedAt:      time.Now().UTC().AddDate(0, 0, -40),
	})
	db.Players(o.ID, 200)
	db.Plays(fork, 3000, time.Now().UTC().AddDate(0, 0, -20), 9*time.Minute)
	keys := make([]string, healthyKeys)
	for i := range keys {
		keys[i] = db.Key(o.ID).Token()
	}
	var turn atomic.Int32
	withKey := func(path string) func() (string, []string) {
		return func() (string, []string) {
			return path, []string{"Authorization", "Bearer " + keys[int(turn.Add(1))%len(keys)]}
		}
	}
	cookie := signIn(db.Member(o.ID, "owner").Email)
	return &healthy{
		base:     base,
		interval: 100 * time.Millisecond,
		client:   apptest.PlainClient,
		calls: []healthyCall{
			{"fork list", fork.ID, withKey("/api/v1/forks")},
			{
				"statistics", `"uniquePlayers":200`,
				withKey("/api/v1/forks/" + fork.ID + "/stats" + apptest.LastDays(30)),
			},
			{"screen", "</html>", func() (string, []string) {
				return "/o/" + o.Slug + "/reports/" + fork.ID, []string{"Cookie", cookie}
			}},
		},
	}
}

// healthyFigures are how a while of the traffic went, by call and client.
type healthyFigures struct {
	mu     sync.Mutex
	took   map[string][]time.Duration // of right answers
	failed map[string]int
	first  string   // the first failure
	causes []string // of all failures
	wrong  []string // answers that say 200 and are not the right ones
}

// during runs the traffic while the attack runs (at least one call of each), and returns how it
// went.
func (h *healthy) during(t *testing.T, attack func()) *healthyFigures {
	t.Helper()
	f := &healthyFigures{took: map[string][]time.Duration{}, failed: map[string]int{}}
	ctx, stop := context.WithCancel(context.Background())
	var clients sync.WaitGroup
	for _, keep := range []bool{true, false} {
		c := h.client(keep)
		for i, call := range h.calls {
			start := time.Now().Add(time.Duration(i) * h.interval / time.Duration(len(h.calls)))
			clients.Go(func() {
				h.repeat(ctx, c, start, call, f, map[bool]string{true: "kept", false: "new"}[keep])
			})
		}
		defer c.CloseIdleConnections()
	}
	attack()
	stop()
	clients.Wait()
	t.Log(f)
	return f
}

// repeat makes a call every interval until ctx ends. Each is timed from when it was due: one that
// waits delays those behind it, and their wait counts.
func (h *healthy) repeat(
	ctx context.Context, c *http.Client, due time.Time, call healthyCall, f *healthyFigures,
	client string,
) {
	for ctx.Err() == nil {
		time.Sleep(time.Until(due))
		err := h.call(c, call)
		f.add(call.name+", "+client, time.Since(due), err)
		due = due.Add(h.interval)
	}
}

// call makes one call and reads its answer.
func (h *healthy) call(c *http.Client, call healthyCall) error {
	if h.send != nil {
		return h.send(c)
	}
	path, headers := call.ask()
	request, err := http.NewRequest(http.MethodGet, h.base+path, http.NoBody)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("answered %d: %.300s", response.StatusCode, body)
	case !strings.Contains(string(body), call.right):
		return fmt.Errorf("%w: %.300s", errWrongAnswer, body)
	}
	return nil
}

var errWrongAnswer = errors.New("a wrong 200")

func (f *healthyFigures) add(line string, took time.Duration, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.failed[line]++
		f.first = cmp.Or(f.first, line+": "+err.Error())
		f.causes = append(f.causes, line+": "+err.Error())
		if errors.Is(err, errWrongAnswer) {
			f.wrong = append(f.wrong, err.Error())
		}
		return
	}
	f.took[line] = append(f.took[line], took)
}

// all are the times of all right answers, the shortest first.
func (f *healthyFigures) all() []time.Duration {
	return slices.Sorted(func(yield func(time.Duration) bool) {
		for _, some := range f.took {
			for _, d := range some {
				if !yield(d) {
					return
				}
			}
		}
	})
}

// failures is how many calls had no right answer.
func (f *healthyFigures) failures() (n int) {
	for _, some := range f.failed {
		n += some
	}
	return n
}

// percentile of sorted times; 0 of none.
func percentile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)*percent/100].Round(10 * time.Microsecond)
}

// String lists the figures of each line and of all.
func (f *healthyFigures) String() string {
	var b strings.Builder
	all := f.all()
	fmt.Fprintf(&b, "healthy: %d right, %d failed, median %s, 99 %% within %s %s\n",
		len(all), f.failures(), percentile(all, 50), percentile(all, 99), f.first)
	for _, line := range slices.Sorted(maps.Keys(f.took)) {
		slices.Sort(f.took[line])
		fmt.Fprintf(&b, "  %-18s %d right, %d failed, median %s, 99 %% within %s\n", line,
			len(f.took[line]), f.failed[line],
			percentile(f.took[line], 50), percentile(f.took[line], 99))
	}
	return b.String()
}

// spared is the table of what attacks cost healthy traffic. make chaos prints it; make bench has
// the bars.
var spared []string

// isSpared requires that every answer beside an attack is right, and notes how much longer the
// answers took than at rest.
func (f *healthyFigures) isSpared(t *testing.T, rest *healthyFigures) {
	t.Helper()
	require.NotEmpty(t, f.all())
	require.Empty(t, f.wrong)
	if !apptest.Chaos { // beside other tests calls may time out
		return
	}
	require.Zero(t, f.failures(), f.first)
	at := percentile(rest.all(), 99)
	beside := percentile(f.all(), 99)
	times := float64(beside) / float64(at)
	spared = append(spared,
		fmt.Sprintf("%6.1f %12s %12s %7d  %s", times, at, beside, len(f.all()), t.Name()))
}

func printSpared() {
	if len(spared) > 0 {
		fmt.Println("The 99th percentile of healthy calls:")
		fmt.Printf("%6s %12s %12s %7s\n", "times", "at rest", "beside", "calls")
		fmt.Println(strings.Join(spared, "\n"))
	}
}
