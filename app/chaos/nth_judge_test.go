package chaos

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// judge returns what is wrong with an answer.
func (c nthCase) judge(f fault, fired bool, want, got good) []string {
	same := slices.Equal(begun(want.changes), begun(got.changes))
	switch failed := got.status == http.StatusServiceUnavailable ||
		got.status == http.StatusInternalServerError && f == breaks; {
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

// success returns what is wrong with an answer that has the usual status.
func (c nthCase) success(same bool, want, got good) (wrong []string) {
	if sameBody := masked(got.body) == masked(want.body) ||
		c.is(anonymous) && heading(got.body) == heading(want.body); !sameBody {
		wrong = append(wrong, "another body: "+diffOf(want, got))
	}
	if to := got.header.Get("Location"); to != want.header.Get("Location") {
		wrong = append(wrong, "leads to "+to)
	}
	if !same {
		wrong = append(wrong, "says that it succeeded, with other changes: "+diffOf(want, got))
	}
	return wrong
}

// failure returns what is wrong with an answer that says that the request failed.
func (c nthCase) failure(f fault, same bool, want, got good) (wrong []string) {
	none := len(got.changes) == 0
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
	if c.api() && c.verb != http.MethodHead && !apiError.MatchString(got.body) {
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
	if rows := strings.Count(got.body, "\n") - 1; !endsFailed(got.changes, rows) {
		wrong = append(wrong,
			fmt.Sprintf("broke off after %d rows, without an entry that says so: %s", rows,
				got.changes))
	}
	return wrong
}

var failedEnd = regexp.MustCompile(`"rows": (\d+).*"outcome": "failed"`)

// endsFailed reports whether an export is recorded as failed, after at least the rows that the
// client received.
func endsFailed(changes []string, rows int) bool {
	found := failedEnd.FindStringSubmatch(strings.Join(changes, "\n"))
	if found == nil {
		return false
	}
	read, err := strconv.Atoi(found[1])
	return err == nil && read >= rows
}

// ending returns what is wrong with the audit entry of an export's end.
func ending(want, got good, whole bool) []string {
	end := strings.Join(got.changes, "\n")
	if isFile(want) && strings.Contains(end, "export.finished") &&
		whole != strings.Contains(end, `"outcome": "completed"`) {
		return []string{"another outcome: " + end}
	}
	return nil
}

var headings = regexp.MustCompile(`<h1>.*?</h1>`)

func heading(page string) string { return headings.FindString(page) }

// begun is the changes without the ends of exports, which are recorded after the answer.
func begun(
	changes []string,
) []string {
	return linesWithout(changes, `"action": "export.finished"`)
}

func linesWithout(changes []string, text string) []string {
	return slices.DeleteFunc(slices.Clone(changes), func(line string) bool {
		return strings.Contains(line, text)
	})
}

func isFile(g good) bool { return strings.HasPrefix(g.header.Get("Content-Type"), "text/csv") }

// diffOf returns the differences of two answers and their changes.
func diffOf(a, b good) string {
	var out []string
	compare := func(sign string, x, y []string) {
		for _, line := range x {
			if !slices.Contains(y, line) {
				out = append(out, sign+line[:min(len(line), 400)])
			}
		}
	}
	left := strings.Split(masked(a.body), "\n")
	right := strings.Split(masked(b.body), "\n")
	if a.status == b.status {
		compare("-body ", left, right)
		compare("+body ", right, left)
	}
	left, right = differences(a.changes, b.changes)
	compare("-", left, nil)
	compare("+", right, nil)
	return strings.Join(out, "\n")
}
