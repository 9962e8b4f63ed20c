package tb_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

func TestMissingProgramSkipsTestsAndFailsInCI(t *testing.T) {
	for ci, want := range map[string]string{"": "^skip: .*not installed", "true": "^fatal: .*not installed"} {
		t.Setenv("CI", ci)
		require.Regexp(t, want, tb.Outcome(t, func(t testing.TB) {
			tb.Missing(t, errors.New("not installed"))
		}))
	}
}
