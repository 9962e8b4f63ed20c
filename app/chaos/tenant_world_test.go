package chaos

import (
	"errors"
	"io"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/modules/reports/sealer"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/testkit"
)

// furnish stores more rows, so that the result of every statement depends on a row.
func (w *requestWorld) furnish() {
	acme := testkit.One[string](w.db, `select org_id::text from forks where id = $1`,
		w.forks["acme"])
	fork := testkit.Fork{ID: w.forks["acme"], OrganisationID: acme}
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

	w.db.Exec(`update api_keys set expires_at = now() + interval '10 days' where id = $1`,
		w.keyID)
	w.db.Exec(`insert into api_key_usage (org_id, key_id, day, accepted, refused, limited)
		select org_id, id, current_date - 1, 1, 1, 1 from api_keys`)
	w.db.Exec(`insert into memberships (org_id, user_id, role)
		select o.id, user_id, 'member' from organisations o, memberships where slug = 'below' limit 1`)
	w.db.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at)
		select org_id, id, name, 'expired', now() - interval '1 hour' from api_keys`)
	w.db.Exec(`insert into audit_entries (org_id, actor_kind, actor_id, actor_name, action, target_kind, target_id, reason,
			method, path, address, user_agent, request_id)
		select id, 'person', 'p', 'P', 'export.started', 'fork', 'f', '', '', '', '', '', 'r' from organisations`)
}

// sendEverything sends the statements of every route, and those of the operator's commands through
// the URL of the owner. It leaves the rows as they were.
func (w *requestWorld) sendEverything(owner string) {
	entry := testkit.One[string](w.db, `select max(e.id)::text from audit_entries e
		join organisations o on o.id = org_id where slug = 'acme'`)
	for _, s := range append(w.allRequests(), w.requests(`
		owner GET /o/acme/settings/audit-log?before=`+entry+` 200
		key:acme GET /api/v1/forks/{fork}/stats?from=2026-03-01&to=2026-03-20 200`)...) {
		require.NotZero(w.t, w.send(s), s)
		w.idle()
		w.restore()
	}
	w.operate(owner)
	w.restore()
}

// operate does the work of the operator's commands and the background.
func (w *requestWorld) operate(url string) {
	ctx := w.t.Context()
	db, err := postgres.Open(ctx, url, postgres.Options{Name: "dg", MaxConns: 2})
	require.NoError(w.t, err)
	defer db.Close()
	policy, err := authz.New()
	require.NoError(w.t, err)
	log := audit.New(db)
	seal := newSealer(db)
	undo := errors.New("undo")
	acme := testkit.One[string](w.db, `select org_id::text from forks where id = $1`,
		w.forks["acme"])
	player := testkit.One[string](w.db,
		`select id::text from players where org_id = $1 limit 1`, acme)
	orgs := org.New(db, log, policy)
	require.ErrorIs(w.t, db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		allow := func(org.Role) error { return nil }
		person := audit.Actor{ID: testkit.One[string](w.db, `select user_id::text from memberships
			join organisations o on o.id = org_id where slug = 'acme' and role <> 'owner' limit 1`)}
		for _, err := range []error{
			failed(orgs.All(ctx)), orgs.SetPlanIn(tx, "acme", org.PlanFree, audit.Request{}),
			orgs.SetRoleIn(tx, "acme", person, org.RoleOwner, allow, audit.Request{}),
			orgs.SetRoleIn(tx, "acme", person, org.NoRole, allow, audit.Request{}),
		} {
			require.NoError(w.t, err)
		}
		return undo
	}), undo)
	_, err = orgs.
		Erase(ctx, player, func(tx *gorm.DB, organisation string) error {
			return errors.Join(sealer.DropDirty(tx, organisation), undo)
		}, audit.Request{})
	require.ErrorIs(w.t, err, undo)
	before, err := log.ExportBefore(ctx, acme, time.Now(), io.Discard)
	require.NoError(w.t, err)
	require.Error(w.t, log.Prune(ctx, acme, time.Now(), before+1, audit.Request{}),
		"not as many as were exported")
	for _, err := range []error{
		w.Keys.StillUsable(ctx, acme, w.keyID), w.Keys.Uses.Store(ctx),
		failed(org.AllIDs(ctx, db)),
		failed(seal.Rebuild(ctx, time.Second)),
	} {
		require.NoError(w.t, err)
	}
}

func failed[T any](_ T, err error) error { return err }
