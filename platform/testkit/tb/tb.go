// Package tb has what the test kits share about the end of a test.
package tb

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

// Missing ends a test that lacks a program: it is skipped, or fails if CI is set.
func Missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("a program that the tests need is missing, and CI is set: %v", err)
	}
	t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
}

// Outcome runs f as a test with its cleanups, and returns its errors and how it was ended.
func Outcome(t testing.TB, f func(testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, cleanup := range r.cleanups {
				cleanup()
			}
		}()
		f(r)
	}()
	<-done
	return r.text
}

// recorder is a testing.TB that records errors and the end of a test.
type recorder struct {
	testing.TB
	text     string
	cleanups []func()
}

func (r *recorder) Helper() {}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Errorf(format string, args ...any) {
	r.text += "error: " + fmt.Sprintf(format, args...) + "\n"
}

func (r *recorder) Skipf(format string, args ...any) {
	r.text += "skip: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.text += "fatal: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}
