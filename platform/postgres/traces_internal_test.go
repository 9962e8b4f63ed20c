package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A span is named by the tag of its statement, and by no more of its text than the first word.
func TestSpansAreNamedByTags(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"/* reports.days */ select 1":           "reports.days",
		"\n\t/* audit.appendToAll */\n\tinsert": "audit.appendToAll",
		"begin isolation level serializable":    "begin",
		"-- ping":                               "ping",
		"COMMIT":                                "COMMIT",
		"select 'secret'":                       "select",
		"/* secret */ select 'secret'":          "statement",
		"'secret'":                              "statement",
		"":                                      "statement",
	} {
		require.Equal(t, want, statementName(sql), "%q", sql)
	}
}
