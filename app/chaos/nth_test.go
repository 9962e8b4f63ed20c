package chaos

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// good is the answer of a case without a fault, and what it changes.
type good struct {
	nthAnswer
	changes []string
}

// For every n, the n-th statement of a request gets an error, or the connection is cut before it,
// after it or within its answer. A response of success then means that the whole change was made
// and recorded; a failure means that nothing was, or that the answer of a statement was lost. A
// file breaks off visibly. The next request is answered as usual.
func TestChaosNthStatementFails(t *testing.T) {
	t.Parallel()
	if !apptest.Chaos {
		w := newNthWorld(t, nil)
		w.coversEveryRoute(t)
		for _, c := range w.allCases() {
			if c.is(inCut) {
				w.try(t, c, timesOut, cutAfter)
			}
		}
		return
	}
	for name, table := range map[string]string{
		"api": apiCases, "screens": pageCases() + strings.TrimSpace(screenCases), "forms": formCases,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newNthWorld(t, nil)
			for _, c := range w.cases(table) {
				w.try(t, c, timesOut, breaks, breaksAmid, cutBefore, cutAfter, cutAmid, cutAtEnd)
			}
			w.ends(t)
		})
	}
}

// coversEveryRoute requires a case for every route of the program that reads the database.
func (w *nthWorld) coversEveryRoute(t *testing.T) {
	readNothing := []string{"/healthz", "/openapi/v1.json", "/static/*"}
	for _, route := range w.Server.App().GetRoutes(true) {
		if slices.Contains(readNothing, route.Path) || route.Method == http.MethodHead {
			continue
		}
		require.True(t, slices.ContainsFunc(w.allCases(), func(c nthCase) bool {
			path, _, _ := strings.Cut(c.path, "?")
			return c.verb == route.Method && fiber.RoutePatternMatch(path, route.Path)
		}), "%s %s is not tried", route.Method, route.Path)
	}
}

func (w *nthWorld) allCases() []nthCase {
	return w.cases(apiCases + pageCases() + strings.TrimSpace(screenCases) + formCases)
}

// ends checks segments, entries, statements, and the log for secrets.
func (w *nthWorld) ends(t *testing.T) {
	t.Log(w.hits)
	o := beginChaos(t, w.super)
	for name, token := range w.keys {
		o.secrets["the key "+name] = token
	}
	o.secrets["the password"] = fixtures.Password
	o.secrets["the secret of two-step verification"] = fixtures.TOTPSecret
	for _, found := range (apptest.Seen{"the log": w.log.String()}).Finds(o.secrets) {
		t.Error(found)
	}
	o.ends(t)
}

// try lets each fault happen to each statement of a request, until there is no such statement.
func (w *nthWorld) try(t *testing.T, c nthCase, faults ...fault) {
	started := time.Now()
	want := w.without(c)
	n := 0
	if !assert.Equal(t, c.want, want.status, "%s: %s", c.name(), want.body) {
		return
	}
	if again := w.without(c); masked(want.body) != masked(again.body) ||
		!slices.Equal(want.changes, again.changes) {
		t.Errorf("%s: differs without a fault:\n%s", c.name(), diffOf(want, again))
		return
	}
	for _, f := range faults {
		for n = 1; w.with(t, c, f, n, 1, want); n++ {
			require.Less(t, n, 200, c.name())
		}
	}
	if c.is(long) {
		w.behindFirstBlock(t, c, want)
	}
	t.Logf("%3d statements, %s %s", n-1, time.Since(started).Round(time.Millisecond), c.name())
}

// behindFirstBlock lets the faults within the rows happen after the client has received the first
// block.
func (w *nthWorld) behindFirstBlock(t *testing.T, c nthCase, want good) {
	faults := []fault{cutAmid, breaksAmid}
	for _, f := range faults[:apptest.ChaosSize(1, 2, 2)] {
		before := w.broken
		for n := 1; w.with(t, c, f, n, behindFirstBlock, want); n++ {
			require.Less(t, n, 200, c.name())
		}
		require.Greater(t, w.broken, before, "%s: no file broke off amid its rows", c.name())
	}
}

// without sends the request without a fault.
func (w *nthWorld) without(c nthCase) good {
	w.restore(true)
	g := good{nthAnswer: w.send(c)}
	g.changes = w.settled(20)
	return g
}

// unfinished reports whether an export has begun and its end is not recorded.
func unfinished(changes []string) bool {
	text := strings.Join(changes, "\n")
	return strings.Contains(text, "export.started") && !strings.Contains(text, "export.finished")
}

// settled waits until the end of an export, which is recorded after its answer. It polls that
// often.
func (w *nthWorld) settled(rounds int) (changes []string) {
	for range rounds {
		w.idle()
		if changes = w.changes(); !unfinished(changes) {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	return changes
}

// maxBusy is how many requests a loaded machine may answer with 503 without a fault.
const maxBusy = 5

// with sends the request and lets the fault happen to the n-th statement. It reports whether there
// is such a statement.
func (w *nthWorld) with(t *testing.T, c nthCase, f fault, n, rows int, want good) bool {
	w.restore(c.api())
	logged := len(w.log.String())
	w.link.arm(f, n, rows)
	got := good{nthAnswer: w.send(c)}
	rounds := 20
	if got.broken {
		w.broken++
		rounds = 300 // a broken export must have an end
	}
	got.changes = w.settled(rounds)
	reached, fired := w.link.disarm()
	// the machine is overloaded
	if !fired && got.status == http.StatusServiceUnavailable && w.busy < maxBusy {
		w.busy++
		return w.with(t, c, f, n, rows, want)
	}
	if fired {
		w.hits[f]++
		got.changes = w.changes()
	}
	for _, wrong := range c.judge(f, fired, want, got) {
		t.Errorf("%s: statement %d %s: %s\n%s", c.name(), n, f, wrong, w.log.String()[logged:])
	}
	return reached
}
