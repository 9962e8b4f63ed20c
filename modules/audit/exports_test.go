package audit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// rules.md, CSV: the two entries of an export share the exportId. In older releases, without one,
// they share key, fork and request.
func TestCounterpartIsOfTheSameExport(t *testing.T) {
	b := setup(t)
	export := entry(ours)
	export.Details = nil
	export.Reason = ""
	export.Action = audit.ExportFinished
	for name, change := range map[string]func(*audit.Entry){
		"another key":          func(e *audit.Entry) { e.Actor.ID = "another" },
		"a person":             func(e *audit.Entry) { e.Actor.Kind = audit.Person },
		"another fork":         func(e *audit.Entry) { e.Target.ID = "f-2" },
		"another request":      func(e *audit.Entry) { e.Request.ID = "request-0002" },
		"another organisation": func(e *audit.Entry) { e.OrganisationID = theirs },
		"another export": func(e *audit.Entry) {
			e.Details = map[string]any{audit.ExportID: "another"}
		},
	} {
		other := export
		change(&other)
		require.NoError(t, b.log.Append(t.Context(), other), name)
	}
	started := export
	started.Action = audit.ExportStarted
	require.NoError(t, b.log.Append(t.Context(), started))
	starts := b.list(t, ours, audit.Page{Limit: 1})
	found, err := b.log.Counterparts(t.Context(), ours, starts)
	require.NoError(t, err)
	require.Empty(t, found, "an export that runs")

	require.NoError(t, b.log.Append(t.Context(), export))
	ends := b.list(t, ours, audit.Page{Limit: 1})
	found, err = b.log.Counterparts(t.Context(), ours, append(ends, starts...))
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Equal(t, ends[0].ID, found[starts[0].ID].ID)
	require.Equal(t, starts[0].ID, found[ends[0].ID].ID)
}
