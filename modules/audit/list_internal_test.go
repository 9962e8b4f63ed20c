package audit

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/platform/testkit"
)

// A page is read from the front of the log's order, and a day's from its range. Table and indexes
// have thousands of pages.
func TestPageOfALargeLogIsReadFromItsOrder(t *testing.T) {
	t.Parallel()
	db := testkit.New(t)
	org := db.Organisation(testkit.Organisation{}).ID
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	db.Exec(`insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action, target_kind,
			target_id, method, path, address, user_agent, request_id)
		select $1, $2::timestamptz + n * interval '10 s', 'key', 'k', 'K', 'export.started', 'fork', 'f',
		       'GET', '/', '192.0.2.1', repeat('u', 100), '' from generate_series(1, 50000) n`, org, first)
	db.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at)
		select $1, 'k', 'K', 'expired', $2::timestamptz + n * interval '1 min'
		  from generate_series(1, 8000) n`, org, first)
	db.Exec(`analyze audit_entries, audit_refusals`)
	log := New(db.DB)
	newest, err := log.List(t.Context(), org, Page{Limit: 9})
	require.NoError(t, err)
	aDay := Filter{From: first.AddDate(0, 0, 1), To: first.AddDate(0, 0, 2)}
	ofKey := aDay
	ofKey.KeyID = "k"
	for name, p := range map[string]Page{
		"newest":        {},
		"older":         {Before: newest[5].ID},
		"newer":         {After: newest[5].ID},
		"a key":         {Filter: Filter{KeyID: "k"}},
		"a day":         {Filter: aDay},
		"a key's day":   {Filter: ofKey},
		"nobody's page": {Filter: Filter{PersonID: "p"}},
	} {
		p.Limit = 51
		page := log.page(t.Context(), org, p).Session(&gorm.Session{DryRun: true}).
			Find(&[]entryRow{}).Statement
		text := testkit.One[string](db,
			"explain (analyze, buffers, format json) "+page.SQL.String(), page.Vars...)
		var plans []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(text), &plans))
		require.Less(t, plans[0].Plan.Hit+plans[0].Plan.Read, 400, "%s: %s", name, text)
	}
}
