package audit

import (
	"context"
	"fmt"
)

// RefusalsDetail is the key of the detail with the number of refusals that an entry stands for.
const RefusalsDetail = "refusals"

// countSQL does not wait for the disk: a crash of PostgreSQL may lose the last second's counts.
const countSQL = `/* audit.count */
	insert into audit_refusals (org_id, key_id, key_name, reason, at)
	select $1, $2, $3, $4, date_trunc('minute', statement_timestamp())
	 where set_config('synchronous_commit', 'off', true) = 'off'
	on conflict (org_id, key_id, reason, at) do update set refusals = audit_refusals.refusals + 1`

// CountRefusal counts the refusal of a key in place of an entry. Those of a minute that have the
// same key and reason are one entry of the log, without target and request.
func (l *Log) CountRefusal(ctx context.Context, e Entry) error {
	_, err := l.db.Pool.Exec(ctx, countSQL, e.OrganisationID, e.Actor.ID, e.Actor.Name, e.Reason)
	if err != nil {
		l.OnWriteFailure()
		return fmt.Errorf("audit: count %s: %w", e.Action, err)
	}
	return nil
}
