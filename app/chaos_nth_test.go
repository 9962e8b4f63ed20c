package main

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// good is the answer of a case without a fault, and what it changes.
type good struct {
	nthAnswer
	changes []string
}

// The n-th statement of a request fails, for every n, on the real database: it gets an error, or the connection is cut before it,
// after it, or amid its answer. The answer is then the same as ever, or says that it failed. An answer of success means that all of
// the change was made and recorded; one of failure that nothing was, or that the answer of a statement was lost. A file breaks off
// visibly. The next request is answered as ever.
func TestChaosNthStatementFails(t *testing.T) {
	t.Parallel()
	if !chaos {
		w := newNthWorld(t)
		for _, c := range w.allCases() {
			if c.cut {
				w.try(t, c, timesOut, cutAfter)
			}
		}
		return
	}
	for name, cases := range map[string]func(*nthWorld) []nthCase{
		"api": (*nthWorld).apiCases, "screens": (*nthWorld).screenCases, "forms": (*nthWorld).formCases,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newNthWorld(t)
			for _, c := range cases(w) {
				w.try(t, c, timesOut, breaks, breaksAmid, cutBefore, cutAfter, cutAmid, cutAtEnd)
			}
			w.ends(t)
		})
	}
}

// Every route of the program is among the cases, but for those that read nothing.
func TestChaosNthStatementCoversEveryRoute(t *testing.T) {
	t.Parallel()
	w := newNthWorld(t)
	reached := func(method, pattern string) bool {
		return slices.ContainsFunc(w.allCases(), func(c nthCase) bool {
			path, _, _ := strings.Cut(c.path, "?")
			return c.method() == method && fiber.RoutePatternMatch(path, pattern)
		})
	}
	for _, route := range w.p.Server.App().GetRoutes(true) {
		reads := !slices.Contains([]string{"/healthz", "/openapi/v1.json", "/openapi/v1.postman.json", "/static/*"}, route.Path)
		if reads && route.Method != http.MethodHead {
			require.True(t, reached(route.Method, route.Path), "%s %s is not tried", route.Method, route.Path)
		}
	}
}

func (w *nthWorld) allCases() []nthCase {
	return slices.Concat(w.apiCases(), w.screenCases(), w.formCases())
}

// ends looks at what is left: segments, entries, statements, and secrets in the log.
func (w *nthWorld) ends(t *testing.T) {
	t.Log(w.hits)
	o := beginOrdeal(t, w.super)
	for name, token := range w.keys {
		o.secrets["the key "+name] = token
	}
	o.secrets["the password"], o.secrets["the secret of two-step verification"] = fixtures.Password, fixtures.TOTPSecret
	for _, found := range (seen{"the log": w.log.String()}).finds(o.secrets) {
		t.Error(found)
	}
	o.ends(t)
}

// try lets each fault happen to each statement of a request, until there is no such statement.
func (w *nthWorld) try(t *testing.T, c nthCase, faults ...fault) {
	started := time.Now()
	want, n := w.without(c), 0
	if !assert.Equal(t, c.want, want.status, "%s: %s", c.name(), want.body) {
		return
	}
	if again := w.without(c); masked(want.body) != masked(again.body) || !slices.Equal(want.changes, again.changes) {
		t.Errorf("%s: differs without a fault:\n%s", c.name(), diffOf(want, again))
		return
	}
	for _, f := range faults {
		for n = 1; w.with(t, c, f, n, want); n++ {
			require.Less(t, n, 200, c.name())
		}
	}
	t.Logf("%3d statements, %s %s", n-1, time.Since(started).Round(time.Millisecond), c.name())
}

// without sends the request without a fault.
func (w *nthWorld) without(c nthCase) good {
	w.restore(true)
	g := good{nthAnswer: w.send(c)}
	g.changes = w.settled(func(changes []string) bool { return len(changes) == 0 || !unfinished(changes) })
	return g
}

// unfinished reports whether an export has begun and its end is not recorded.
func unfinished(changes []string) bool {
	text := strings.Join(changes, "\n")
	return strings.Contains(text, "export.started") && !strings.Contains(text, "export.finished")
}

// settled waits until the changes are done, for a moment: the end of an export is recorded behind its answer.
func (w *nthWorld) settled(done func([]string) bool) (changes []string) {
	for range 20 {
		w.idle()
		if changes = w.changes(); done(changes) {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	return changes
}

// maxBusy is how many requests may be answered 503 without a fault: on a loaded machine a wait for a connection has its bound too.
const maxBusy = 5

// with sends the request and lets the fault happen to the n-th statement. It reports whether there is such a statement.
func (w *nthWorld) with(t *testing.T, c nthCase, f fault, n int, want good) bool {
	w.restore(c.api())
	w.logged = len(w.log.String())
	w.link.arm(f, n)
	got := good{nthAnswer: w.send(c)}
	got.changes = w.settled(func(changes []string) bool { return !unfinished(changes) })
	reached, fired := w.link.disarm()
	if !fired && got.status == http.StatusServiceUnavailable && w.busy < maxBusy { // the machine is what is slow
		w.busy++
		return w.with(t, c, f, n, want)
	}
	if fired {
		w.hits[f]++
		got.changes = w.changes()
	}
	for _, wrong := range c.judge(f, fired, want, got) {
		t.Errorf("%s: statement %d %s: %s\n%s", c.name(), n, f, wrong, w.log.String()[w.logged:])
	}
	return reached
}

// judge returns what is wrong with an answer.
func (c nthCase) judge(f fault, fired bool, want, got good) []string {
	same := slices.Equal(begun(want.changes), begun(got.changes))
	switch failed := got.status == http.StatusServiceUnavailable || got.status == http.StatusInternalServerError && f == breaks; {
	case !fired && (got.broken || got.status != want.status):
		return []string{fmt.Sprintf("%d without a fault: %s", got.status, got.body)}
	case got.status != want.status && failed && !got.broken:
		return append(c.failure(f, same, want, got), ending(want, got, false)...)
	case got.status != want.status:
		return []string{fmt.Sprintf("%d %s: %s", got.status, got.header.Get("Location"), got.body)}
	case got.broken:
		return append(broken(same, want, got), ending(want, got, false)...)
	}
	return append(c.success(same, want, got), ending(want, got, true)...)
}

// success returns what is wrong with an answer that is the usual one by its status.
func (c nthCase) success(same bool, want, got good) (wrong []string) {
	if sameBody := masked(got.body) == masked(want.body) || c.anonymous && heading(got.body) == heading(want.body); !sameBody {
		wrong = append(wrong, "another body: "+diffOf(want, got))
	}
	if to := got.header.Get("Location"); to != want.header.Get("Location") && to != c.elsewhere {
		wrong = append(wrong, "leads to "+to)
	}
	if same = same || c.unlogged && slices.Equal(logged(want.changes), logged(got.changes)); !same {
		wrong = append(wrong, "says that it succeeded, with other changes: "+diffOf(want, got))
	}
	return wrong
}

// failure returns what is wrong with an answer that says that the request failed.
func (c nthCase) failure(f fault, same bool, want, got good) (wrong []string) {
	none := len(got.changes) == 0 || c.unlogged && slices.Equal(got.changes, logged(want.changes))
	switch {
	case none:
	case !same || !f.lost() && !isFile(want):
		wrong = append(wrong, "says that it failed, with changes: "+diffOf(want, got))
	case strings.Contains(got.body, "othing was") || strings.Contains(got.body, "othing has been"):
		wrong = append(wrong, "says that nothing was changed: "+got.body)
	}
	if got.status == http.StatusServiceUnavailable && got.header.Get("Retry-After") == "" {
		wrong = append(wrong, "no Retry-After")
	}
	for _, name := range []string{"ETag", "Content-Disposition", "Set-Cookie", "Location"} {
		if got.header.Get(name) != "" {
			wrong = append(wrong, "a failure with "+name)
		}
	}
	if c.api() && c.method() != http.MethodHead && !apiError.MatchString(got.body) {
		wrong = append(wrong, "not the API's error body: "+got.body)
	}
	return wrong
}

var apiError = regexp.MustCompile(`^{"code":"(unavailable","message":"[^"]+","details":{"code":"ERR_UNAVAILABLE"|` +
	`internal","message":"[^"]+","details":{"code":"ERR_INTERNAL")}}$`)

// broken returns what is wrong with an answer that broke off.
func broken(same bool, want, got good) (wrong []string) {
	if !isFile(want) || !strings.HasPrefix(want.body, got.body) {
		wrong = append(wrong, "broke off: "+got.body)
	}
	if !same {
		wrong = append(wrong, "broke off, with other changes: "+diffOf(want, got))
	}
	return wrong
}

// ending returns what is wrong with the entry of an export's end, if there is one.
func ending(want, got good, whole bool) []string {
	end := strings.Join(got.changes, "\n")
	if isFile(want) && strings.Contains(end, "export.finished") && whole != strings.Contains(end, `"outcome": "completed"`) {
		return []string{"another outcome: " + end}
	}
	return nil
}

var headings = regexp.MustCompile(`<h1>.*?</h1>`)

func heading(page string) string { return headings.FindString(page) }

// logged is the changes without the entries of failed sign-ins.
func logged(changes []string) []string { return linesWithout(changes, `"action": "sign_in.failed"`) }

// begun is the changes without the ends of exports, which are recorded behind the answer.
func begun(changes []string) []string { return linesWithout(changes, `"action": "export.finished"`) }

func linesWithout(changes []string, text string) []string {
	return slices.DeleteFunc(slices.Clone(changes), func(line string) bool { return strings.Contains(line, text) })
}

func isFile(g good) bool { return strings.HasPrefix(g.header.Get("Content-Type"), "text/csv") }

// diffOf is what two answers and their changes do not have in common.
func diffOf(a, b good) string {
	var out []string
	compare := func(sign string, x, y []string) {
		for _, line := range x {
			if !slices.Contains(y, line) {
				out = append(out, sign+line[:min(len(line), 400)])
			}
		}
	}
	left, right := strings.Split(masked(a.body), "\n"), strings.Split(masked(b.body), "\n")
	if a.status == b.status {
		compare("-body ", left, right)
		compare("+body ", right, left)
	}
	left, right = differences(a.changes, b.changes)
	compare("-", left, nil)
	compare("+", right, nil)
	return strings.Join(out, "\n")
}
