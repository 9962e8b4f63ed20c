package auditlog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// A row shows the values that audit.ActionDisplay lists for its action, in that order.
func TestRowShowsTheValuesOfItsAction(t *testing.T) {
	person, key := audit.Target{Kind: "person", ID: "u-1"}, audit.Target{Kind: "api_key", ID: "k-1"}
	for want, e := range map[string]audit.Entry{
		"Old entries removed|Before 1 Jan 2025|Entries 12,408": {Action: audit.LogPruned,
			Target:  audit.Target{Kind: "organisation", ID: "o-1"},
			Details: map[string]any{"before": "2025-01-01", "entries": 12408.0}},
		"Role changed|Person Ann|From none|To owner": {Action: audit.RoleChanged, Target: person,
			Details: map[string]any{"name": "Ann", "from": "none", "to": "owner"}},
		"Reset link created|Person Ann|Until 2026-11-21T09:30:05Z": {Action: audit.ResetCreated, Target: person,
			Details: map[string]any{"name": "Ann", "until": "2026-11-21T09:30:05Z"}},
		"Key revoked|Key Today’s": {Action: audit.KeyRevoked, Target: key},
		"Key replaced|Key BI|Stops at 2026-11-21T09:30:05Z": {Action: audit.KeyReplaced, Target: key,
			Details: map[string]any{"name": "BI", "stopsAt": "2026-11-21T09:30:05Z"}},
		"Key renamed|Key 2026-03-01|Old name 2026-11-21T09:30:05Z": { // a name that looks like a day is shown as a name
			Action: audit.KeyRenamed, Target: key,
			Details: map[string]any{"newName": "2026-03-01", "oldName": "2026-11-21T09:30:05Z"},
		},
		"Two-step turned on": {Action: audit.TwoStepTurnedOn, Target: person},
		"key.seen":           {Action: "key.seen"}, // an action of a newer program
	} {
		v := targetNames{"api_key": {"k-1": "Today’s"}}.newEntryView(e)
		row := []string{v.Label}
		for _, v := range v.Summary {
			text := v.Text
			if v.At != nil {
				text = v.At.Format("2006-01-02T15:04:05Z")
			}
			row = append(row, v.Term+" "+text)
		}
		require.Equal(t, want, strings.Join(row, "|"))
	}
}
