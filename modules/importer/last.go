package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
)

// storeLast writes the rows that requests lock: stored organisations and forks, people and
// memberships. The import then holds their locks only briefly.
func (r *run) storeLast(ctx context.Context) error {
	for _, b := range r.batches {
		if err := b.exec(ctx, r.tx, "analyze last_{table}"); err != nil {
			return err
		}
	}
	if err := r.keepSecrets(ctx); err != nil {
		return err
	}
	if err := r.lockChanged(ctx); err != nil {
		return err
	}
	err := r.tx.QueryRow(ctx, `/* importer.lostPasswords */ select count(*)
		from last_users i join users o on o.id = i.id where `+passwordRemovedSQL).
		Scan(&r.batch("users").count.LostPasswords)
	if err != nil {
		return err
	}
	for _, rule := range auditRules {
		err := audit.AppendChanges(ctx, r.tx, rule.action, rule.targetKind, r.Request, rule.changesSQL)
		if err != nil {
			return err
		}
	}
	for _, b := range r.batches {
		if err := b.write(ctx, r.tx, b.finalSQL, "last_"+b.table); err != nil {
			return err
		}
	}
	return nil
}

// keepSecrets locks the secret key. It keeps the stored form of secrets that have not changed:
// another key may have encrypted them.
func (r *run) keepSecrets(ctx context.Context) error {
	if err := r.Keyring.LockSecretKey(ctx, r.tx); err != nil {
		return err
	}
	rows, _ := r.tx.Query(ctx, `/* importer.secrets */
		select i.id::text, o.totp_secret, i.totp_secret from last_users i join users o on o.id = i.id
		where o.totp_secret <> i.totp_secret`)
	var id, stored, imported string
	var ids, keptSecrets []string
	_, err := pgx.ForEachRow(rows, []any{&id, &stored, &imported}, func() error {
		if r.Keyring.KeepSecret(id, stored, imported) == stored {
			ids = append(ids, id)
			keptSecrets = append(keptSecrets, stored)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare two-step secrets: %w", err)
	}
	_, err = r.tx.Exec(ctx, `/* importer.keepSecrets */
		update last_users i set totp_secret = k.secret
		  from unnest($1::uuid[], $2::text[]) k (id, secret) where i.id = k.id`, ids, keptSecrets)
	return err
}

// lockOrganisationsSQL also locks the organisations of changed forks, because a trigger updates
// them at the commit.
const lockOrganisationsSQL = `/* importer.lockOrganisations */ select from organisations
	where id in (select id from last_organisations union select org_id from last_forks
	  union select org_id from forks where xmin = pg_current_xact_id()::xid)
	order by id for no key update`

// lockChanged drops imported rows that equal stored ones: writing them could revert a concurrent
// change. It locks the stored organisations, memberships and people that will change, so that the
// audit entries stay true.
func (r *run) lockChanged(ctx context.Context) error {
	for _, b := range r.batches {
		if b.finalSQL == "" {
			continue
		}
		err := b.exec(ctx, r.tx, `delete from last_{table} i using {table} o
			where {same} and ({o.values}) is not distinct from ({i.values})`)
		if err != nil {
			return err
		}
	}
	if _, err := r.tx.Exec(ctx, lockOrganisationsSQL); err != nil {
		return err
	}
	for _, table := range []string{"memberships", "users"} {
		err := r.batch(table).exec(ctx, r.tx, `select from {table} o join last_{table} i on {same}
			order by {i.key} for no key update of o`)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) batch(table string) *batch {
	return r.batches[slices.IndexFunc(r.batches, func(b *batch) bool { return b.table == table })]
}

// auditRule describes the audit entries of an action. changesSQL selects the rows for
// audit.AppendChanges.
type auditRule struct {
	action     audit.Action
	targetKind string
	changesSQL string
}

var auditRules = []auditRule{
	{audit.OrganisationCreated, "organisation", `
		select o.id, o.id, jsonb_build_object('plan', coalesce(i.plan, o.plan)) from organisations o
		left join last_organisations i on i.id = o.id where ` + isNewSQL},
	{audit.PlanChanged, "organisation", organisationChangeSQL("plan")},
	{audit.ReportingModeChanged, "organisation", organisationChangeSQL("reporting_mode")},
	{audit.RoleChanged, "person", `
		select i.org_id, i.user_id, jsonb_build_object('name', coalesce(n.name, u.name),
			'from', coalesce(o.role, 'none'), 'to', i.role)
		from last_memberships i
		left join memberships o on o.org_id = i.org_id and o.user_id = i.user_id
		left join last_users n on n.id = i.user_id left join users u on u.id = i.user_id
		where o.role is distinct from i.role`},
	{audit.PasswordChanged, "person", personChangeSQL(
		`i.password_hash is not null and o.password_hash is distinct from i.password_hash`)},
	{audit.PasswordRemoved, "person", personChangeSQL(passwordRemovedSQL)},
	{audit.TwoStepTurnedOn, "person", personChangeSQL(
		`i.totp_secret is not null and o.totp_secret is distinct from i.totp_secret`)},
	{audit.TwoStepRemoved, "person", personChangeSQL(`o.totp_secret is not null and i.totp_secret is null`)},
}

const (
	isNewSQL           = `o.xmin = pg_current_xact_id()::xid` // this transaction added the organisation
	passwordRemovedSQL = `o.password_hash is not null and i.password_hash is null`
)

func organisationChangeSQL(column string) string {
	return fmt.Sprintf(`
		select i.id, i.id, jsonb_build_object('from', o.%[1]s, 'to', i.%[1]s)
		from last_organisations i join organisations o on o.id = i.id
		where o.%[1]s <> i.%[1]s and not `+isNewSQL, column)
}

// personChangeSQL selects the stored people who meet the condition, once for each organisation that
// they belong to or join.
func personChangeSQL(condition string) string {
	return `
		select m.org_id, i.id, jsonb_build_object('name', i.name)
		from last_users i join users o on o.id = i.id join (
			select org_id, user_id from memberships union select org_id, user_id from last_memberships
		) m on m.user_id = i.id where ` + condition
}
