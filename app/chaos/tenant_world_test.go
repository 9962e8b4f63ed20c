package chaos

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/apikeys"
	"dg/platform/testkit"
)

// furnish stores more rows, so that the result of every statement depends on a row.
func (w *requestWorld) furnish() {
	fork := testkit.Fork{ID: w.forks["acme"], OrganisationID: w.organisationOf("acme")}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	w.db.Plays(fork, 12, time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC), time.Hour)
	w.db.Plays(fork, 12, today.AddDate(0, 0, -20), 8*time.Hour)
	_, err := newSealer(w.db.DB).Seal(w.t.Context())
	require.NoError(w.t, err)
	// Dirty days and a dirty month without plays, an unsealed day and month, damaged segments.
	w.db.Exec(`delete from plays where started_at < '2026-02-20'`)
	w.db.Plays(fork, 3, today.AddDate(0, 0, -2), time.Hour)
	w.db.Exec(`delete from fork_months where fork_id = $1`, w.forks["other"])
	w.db.Exec(`update fork_days set head_bytes = octet_length(segment) + 1 where fork_id = $1`,
		w.forks["named"])
	w.db.Exec(`update fork_months set head_bytes = octet_length(segment) + 1 where fork_id = $1`,
		w.forks["named"])

	w.db.Exec(`update api_keys set expires_at = now() + interval '10 days',
		last_used_at = now() - interval '1 day' where id = $1`, w.keyID)
	w.db.Exec(`insert into api_key_usage (org_id, key_id, day, accepted, refused, limited)
		select org_id, id, current_date - 1, 1, 1, 1 from api_keys`)
	w.db.Exec(`insert into memberships (org_id, user_id, role)
		select o.id, user_id, 'member' from organisations o, memberships where slug = 'below' limit 1`)
	w.db.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at)
		select org_id, id, name, 'expired', now() - interval '1 hour' from api_keys`)
	w.db.Exec(`insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action, target_kind,
			target_id, reason, method, path, address, user_agent, request_id)
		select id, '2026-01-15', 'person', 'p', 'P', 'export.started', 'fork', 'f', '', '', '', '', '', 'r' from organisations`)
}

// sendEverything sends the statements of every route, and those of the operator's commands through
// the URL of the owner. It leaves the rows as they were.
func (w *requestWorld) sendEverything(ownerURL string) {
	entry := testkit.One[string](w.db, `select max(e.id)::text from audit_entries e
		join organisations o on o.id = org_id where slug = 'acme'`)
	unsealed := time.Now().UTC().AddDate(0, 0, -2).Format(time.DateOnly)
	for _, s := range append(w.allRequests(), w.requests(`
		key:acme HEAD /api/v1/forks/{fork}/exports/csv?from=`+unsealed+`&to=`+unsealed+` 200
		owner GET /o/acme/settings/audit-log?before=`+entry+` 200
		key:acme GET /api/v1/forks/{fork}/stats?from=2026-03-01&to=2026-03-20 200`)...) {
		require.NotZero(w.t, w.send(s), s)
		w.idle()
		w.restore()
	}
	require.NoError(w.t, apikeys.StillUsable(w.t.Context(), w.Pools.Recheck, w.organisationOf("acme"), w.keyID))
	require.NoError(w.t, w.Keys.UsageCounter.Store(w.t.Context()))
	acme := w.organisationOf("acme")
	player := testkit.One[string](w.db, `select id::text from players where org_id = $1 limit 1`, acme)
	label := testkit.One[string](w.db, `select label from players where org_id = $1 limit 1`, acme)
	for _, line := range []string{
		"organisation list", "organisation plan acme free", "member role acme member@acme.example owner",
		"member remove acme plain@acme.example", "erase " + player, "segments rebuild",
		"erase acme " + label, "account delete member@acme.example",
		"audit prune --before 2026-02 --export " + filepath.Join(w.t.TempDir(), "old"),
	} {
		status, _, problem := apptest.RunCommand(w.t, append(strings.Fields(line),
			"--database-url", w.db.URL, "--migrate-database-url", ownerURL)...)
		require.Zero(w.t, status, "%s: %s", line, problem)
		w.restore()
	}
}

func (w *requestWorld) organisationOf(fork string) string {
	return testkit.One[string](w.db, `select org_id::text from forks where id = $1`, w.forks[fork])
}
