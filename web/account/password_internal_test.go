package account

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/ui"
)

// Each rule of the form has its message, and each message its rule.
func TestEachRuleOfAPasswordHasItsMessage(t *testing.T) {
	t.Parallel()
	f := formChecks.Errors(ui.NewLocale("", ""), newPassword{"one", "another"})
	require.Equal(t, []ui.FormError{{Field: "repeat", Message: formMessages["repeat eqfield"]}},
		f.Errors)
	require.Len(t, formMessages, 1)
}
