package auditlog

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
)

// Each filter, alone and with others, sets that of package audit, and stays in the address. Both days
// are included.
func TestFieldsSetTheFilter(t *testing.T) {
	t.Parallel()
	march := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	for query, want := range map[string]audit.Filter{
		"":                                       {},
		"person=&action=&key=&from=&to=":         {},
		"person=p-1":                             {PersonID: "p-1"},
		"key=k-1&person=p-1":                     {KeyID: "k-1", PersonID: "p-1"},
		"action=api_key.refused&from=2026-03-02": {Action: audit.KeyRefused, From: march(2)},
		"to=2026-03-02":                          {To: march(3)},
		"from=2026-03-03&to=2026-03-03":          {From: march(3), To: march(4)},
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		at := logRequest{Fields: fields([]audit.Actor{{ID: "p-1", Name: "Ann"}},
			[]apikeys.Key{{ID: "k-1", Name: "BI"}})}
		for i := range at.Fields {
			f := &at.Fields[i]
			require.NoError(t, f.read(values[f.Name], &at.page.Filter))
		}
		require.Equal(t, want, at.page.Filter, query)
		for name, value := range at.Query() {
			require.Equal(t, values[name], value)
		}
	}
}
