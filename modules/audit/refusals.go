package audit

import (
	"context"
	"fmt"
)

// RefusalsDetail is the key in Entry.Details for the number of refusals that an entry counts.
const RefusalsDetail = "refusals"

// countSQL commits without waiting for the disk, so that a flood of refusals stays cheap. A crash
// of PostgreSQL may lose the counts of the last second.
const countSQL = `/* audit.count */
	insert into audit_refusals (org_id, key_id, key_name, reason, at)
	select $1, $2, $3, $4, date_trunc('minute', statement_timestamp())
	 where set_config('synchronous_commit', 'off', true) = 'off'
	on conflict (org_id, key_id, reason, at) do update set refusals = audit_refusals.refusals + 1`

// CountRefusal counts a key's refusal instead of appending e. The log shows one entry per minute,
// key and reason, without target and request. On a database error it calls OnWriteFailure and
// returns the error.
func (l *Log) CountRefusal(ctx context.Context, e Entry) error {
	_, err := l.db.Pool.Exec(ctx, countSQL, e.OrganisationID, e.Actor.ID, e.Actor.Name, e.Reason)
	if err != nil {
		l.OnWriteFailure()
		return fmt.Errorf("audit: count %s: %w", e.Action, err)
	}
	return nil
}
