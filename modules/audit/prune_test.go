package audit_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

var pruneFrom = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// oldEntries stores n entries and a count from before pruneFrom, and one of each at that instant.
func (b bundle) oldEntries(t *testing.T, organisation string, n int) {
	b.Exec(`insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action,
		target_kind, target_id, reason, details, method, path, address, user_agent, request_id)
		select $1, $2::timestamptz - ($3 - n) * interval '1 h', 'key', 'k', 'Entrepôt',
		  'api_key.refused', 'fork', 'f', 'wrong_secret', '{"rows": 12}', 'GET', '/api/v1/forks',
		  '192.0.2.1', 'bi/1.0', 'request-' || n
		  from generate_series(0, $3::int) n`, organisation, pruneFrom, n)
	b.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at, refusals)
		select $1, 'k', 'Entrepôt', 'expired', $2::timestamptz - n * interval '1 min', 40
		  from generate_series(0, 1) n`, organisation, pruneFrom)
}

// Old entries are exported with all fields, and removed with an entry, but nothing that was not
// exported, and by the owner of the tables alone. Other logs stay.
func TestPruneMovesOldEntriesOfOneLog(t *testing.T) {
	b := setup(t)
	b.oldEntries(t, ours, 2_500) // more than two batches
	b.oldEntries(t, theirs, 3)
	log := audit.New(b.Owner)
	var file bytes.Buffer
	n, err := log.ExportBefore(t.Context(), ours, pruneFrom, &file)
	require.NoError(t, err)
	require.EqualValues(t, 2_501, n)
	require.Equal(t, 2_501, strings.Count(file.String(), "\n"))
	count, lines, _ := strings.Cut(file.String(), "\n")
	require.Contains(t, count, `"at":"2025-12-31T23:59:00.000Z","actorKind":"key","actorId":"k",`)
	require.Contains(t, count, `"details":{"refusals":40},`)
	newest, _, _ := strings.Cut(lines, "\n")
	require.Regexp(t, `^\{"entryId":"E\d+","organisationId":"`+ours+`","at":"2025-12-31T23:00:00.000Z",`+
		`"actorKind":"key","actorId":"k","actorName":"Entrepôt","action":"api_key.refused",`+
		`"reason":"wrong_secret","targetKind":"fork","targetId":"f","details":\{"rows":12\},`+
		`"method":"GET","path":"/api/v1/forks","address":"192.0.2.1","userAgent":"bi/1.0",`+
		`"requestId":"request-2499"\}$`, newest)

	prune := func(from *audit.Log, exported int64) error {
		return from.Prune(t.Context(), ours, pruneFrom, exported, audit.Request{Path: "dg audit prune"})
	}
	require.ErrorContains(t, prune(log, n-1), "2500 entries were exported and 2501 are there")
	require.ErrorContains(t, prune(b.log, n), "permission denied")
	require.Len(t, b.list(t, ours, audit.Page{Limit: 3_000}), 2_503)
	require.NoError(t, prune(log, n))
	left := b.list(t, ours, audit.Page{Limit: 10})
	require.Len(t, left, 3)
	require.Equal(t, audit.LogPruned, left[0].Action)
	require.Equal(t, audit.OperatorActor, left[0].Actor)
	require.Equal(t, map[string]any{"before": "2026-01-01", "entries": 2_501.0}, left[0].Details)
	require.Equal(t, pruneFrom, left[1].At.UTC())
	require.Equal(t, 4, b.Count(`audit_entries where org_id = $1`, theirs))
}
