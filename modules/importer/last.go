package importer

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
)

// storeLast writes what others wait for: stored organisations and forks, people and memberships. It
// holds their locks for the rest of the import, which is short.
func (r *run) storeLast(ctx context.Context) error {
	for _, b := range r.batches {
		if err := b.exec(ctx, r.tx, "analyze last_{table}"); err != nil {
			return err
		}
	}
	if err := r.keepSecrets(ctx); err != nil {
		return err
	}
	for _, e := range entries {
		err := audit.AppendChanges(ctx, r.tx, e.action, e.target, r.Request, e.changes)
		if err != nil {
			return err
		}
	}
	for _, b := range r.batches {
		if err := b.write(ctx, r.tx, b.last, "last_"+b.table); err != nil {
			return err
		}
	}
	return nil
}

// keepSecrets locks the secret key before people are written. A secret that is stored under another
// key stays as it is stored.
func (r *run) keepSecrets(ctx context.Context) error {
	if err := r.Keyring.LockSecretKey(ctx, r.tx); err != nil {
		return err
	}
	rows, _ := r.tx.Query(ctx, `/* importer.secrets */
		select i.id::text, o.totp_secret, i.totp_secret from last_users i join users o on o.id = i.id
		where o.totp_secret <> i.totp_secret`)
	var person, stored, fresh string
	var people, kept []string
	_, err := pgx.ForEachRow(rows, []any{&person, &stored, &fresh}, func() error {
		if r.Keyring.KeepSecret(person, stored, fresh) == stored {
			people = append(people, person)
			kept = append(kept, stored)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare two-step secrets: %w", err)
	}
	_, err = r.tx.Exec(ctx, `/* importer.keepSecrets */
		update last_users i set totp_secret = k.secret
		  from unnest($1::uuid[], $2::text[]) k (id, secret) where i.id = k.id`, people, kept)
	return err
}

// entry is what an organisation's log records of an import: a row of changes for each entry.
type entry struct {
	action  audit.Action
	target  string // the kind
	changes string // query of organisation, id of the target and details, in the order of locks
}

// entries lock the stored rows before any is written: organisations, memberships, people. Their
// locks keep the old values true until the commit.
var entries = []entry{
	{audit.PlanChanged, "organisation", organisationChange("plan")},
	{audit.ReportingModeChanged, "organisation", organisationChange("reporting_mode")},
}

func organisationChange(column string) string {
	return fmt.Sprintf(`
		select i.id, i.id, jsonb_build_object('from', o.%[1]s, 'to', i.%[1]s)
		from last_organisations i join organisations o on o.id = i.id
		where o.%[1]s <> i.%[1]s order by o.id for no key update of o`, column)
}
