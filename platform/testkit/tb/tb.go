// Package tb has what tests and their kits share without package pgtest.
package tb

import (
	"os"
	"testing"
)

// SkipOrFail ends a test that lacks a program: it is skipped, or fails if CI is set.
func SkipOrFail(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("a program that the tests need is missing, and CI is set: %v", err)
	}
	t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
}
