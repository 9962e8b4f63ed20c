package apikeys_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/apperr"
)

// rules.md, Keys: who may create a key may rename it. The change is recorded with what it was
// before, and nothing else is.
func TestRenameIsRecorded(t *testing.T) {
	b := setup(t)
	key, token := b.newKey()
	admin := member(ourOrganisation, "admin", true)
	for _, step := range []struct {
		to      apikeys.Label
		details map[string]any // nil: no entry
	}{
		{
			apikeys.Label{Name: "Power BI", Description: "For Ann"}, map[string]any{
				"oldName":     "Warehouse",
				"newName":     "Power BI",
				"description": "For Ann",
			},
		},
		{apikeys.Label{Name: "Power BI", Description: "For Ann"}, nil},
		{apikeys.Label{Name: "Power BI"}, map[string]any{"description": ""}},
		{apikeys.Label{Name: "BI"}, map[string]any{"oldName": "Power BI", "newName": "BI"}},
	} {
		before := b.entries(audit.KeyRenamed)
		require.NoError(t, b.keys.Rename(b.ctx(), admin, key.ID, step.to, request))
		renamed, err := b.other.Key(b.ctx(), b.owner, key.ID)
		require.NoError(t, err)
		require.Equal(t, []string{step.to.Name, step.to.Description},
			[]string{renamed.Name, renamed.Description})
		entries := b.entries(audit.KeyRenamed)
		if step.details == nil {
			require.Len(t, entries, len(before))
			continue
		}
		require.Len(t, entries, len(before)+1)
		require.Equal(t, step.details, entries[0].Details)
		require.Equal(t, audit.Target{Kind: "api_key", ID: key.ID}, entries[0].Target)
		require.Equal(t, admin.ID, entries[0].Actor.ID)
	}
	caller, err := b.keys.Authenticate(b.ctx(), token, request)
	require.NoError(t, err)
	require.Equal(t, "BI", caller.KeyName, "from the next request on")

	b.breakLog()
	require.Error(t, b.keys.Rename(b.ctx(), admin, key.ID, apikeys.Label{Name: "x"}, request),
		"it commits with its entry")
	unchanged, err := b.keys.Key(b.ctx(), b.owner, key.ID)
	require.NoError(t, err)
	require.Equal(t, "BI", unchanged.Name)
}

func TestRenameIsRefused(t *testing.T) {
	b := setup(t)
	key, _ := b.newKey()
	good := apikeys.Label{Name: "n"}
	for _, actor := range []apikeys.Actor{
		member(ourOrganisation, "admin", false), member(ourOrganisation, "member", true),
		member("", "owner", true),
	} {
		requireCode(t, apperr.AccessDenied, b.keys.Rename(b.ctx(), actor, key.ID, good, request))
	}
	requireCode(t, apperr.NotFound,
		b.keys.Rename(b.ctx(), member(theirOrganisation, "owner", false), key.ID, good, request))
	requireCode(t, apperr.NotFound, b.keys.Rename(b.ctx(), b.owner, "x", good, request))
	for field, bad := range map[string][]apikeys.Label{
		"name": {{Name: ""}, {Name: " "}, {Name: "a\n"}, {Name: strings.Repeat("n", 201)}},
		"description": {
			{Name: "n", Description: "a\x00"}, {Name: "n", Description: strings.Repeat("n", 201)}, {
				Name:        "n",
				Description: "\xff",
			},
		},
	} {
		for _, label := range bad {
			require.Equal(t, field,
				requireCode(t, apperr.Validation,
					b.keys.Rename(b.ctx(), b.owner, key.ID, label, request)).Field)
		}
	}
	// The role is read again in the transaction.
	b.Exec(`update memberships set role = 'member' where user_id = $1`, b.owner.ID)
	requireCode(t, apperr.AccessDenied, b.keys.Rename(b.ctx(), b.owner, key.ID, good, request))
	_, err := b.replace(key, 0)
	requireCode(t, apperr.AccessDenied, err)
	unchanged, err := b.keys.Key(b.ctx(), member(ourOrganisation, "admin", true), key.ID)
	require.NoError(t, err)
	require.Equal(t, "Warehouse", unchanged.Name)
	require.Nil(t, unchanged.RevokedAt)
}
