package apikeys_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
)

// rules.md, Keys: the roles that create keys may rename them. The entry has the old and the new name.
func TestRenameIsRecorded(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	admin := member(ourOrganisation, "admin", true)
	type details = map[string]any
	entries := 0
	for _, step := range []struct {
		to      apikeys.Label
		details details // nil: no entry
	}{
		{
			apikeys.Label{Name: "Power BI", Description: "For Ann"},
			details{"oldName": "Warehouse", "newName": "Power BI", "description": "For Ann"},
		},
		{apikeys.Label{Name: "Power BI", Description: "For Ann"}, nil},
		{apikeys.Label{Name: "Power BI"}, details{"name": "Power BI", "description": ""}},
		{apikeys.Label{Name: "BI"}, details{"oldName": "Power BI", "newName": "BI"}},
	} {
		require.NoError(t, b.keys.Rename(b.ctx(), admin, key.ID, step.to, request))
		renamed, err := b.other.Key(b.ctx(), b.owner, key.ID)
		require.NoError(t, err)
		got := apikeys.Label{Name: renamed.Name, Description: renamed.Description}
		require.Equal(t, step.to, got)
		if step.details != nil {
			entries++
			entry := b.entries(audit.KeyRenamed)[0]
			require.Equal(t, step.details, entry.Details)
			require.Equal(t, audit.Target{Kind: "api_key", ID: key.ID}, entry.Target)
			require.Equal(t, admin.ID, entry.Actor.ID)
		}
		require.Len(t, b.entries(audit.KeyRenamed), entries)
	}
	require.Equal(t, "BI", b.accept(token).Actor.Name, "from the next request on")
}
