package keys

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each rule of a form's validate tags has its message, and each message its rule: without one the
// page would name no error.
func TestEachRuleOfAFormHasItsMessage(t *testing.T) {
	t.Parallel()
	rules := map[string]bool{}
	for _, form := range []any{keyForm{}} {
		// those of the label too
		for _, field := range reflect.VisibleFields(reflect.TypeOf(form)) {
			for rule := range strings.SplitSeq(field.Tag.Get("validate"), ",") {
				if rule, _, _ = strings.Cut(rule, "="); rule != "" && rule != "dive" &&
					rule != "omitempty" {
					rules[field.Tag.Get("json")+" "+rule] = true
				}
			}
		}
	}
	for rule := range rules {
		require.NotEmpty(t, formMessages[rule], rule)
	}
	require.Len(t, formMessages, len(rules))
}
