package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The summary above a form counts any number of errors.
func TestSummaryCountsAnyNumberOfErrors(t *testing.T) {
	t.Parallel()
	for errors, want := range map[int]string{
		1:   "One thing",
		6:   "Six things",
		7:   "Many things",
		100: "Many things",
	} {
		require.Equal(t, want, FormErrors{Errors: make([]FormError, errors)}.Count())
	}
}
