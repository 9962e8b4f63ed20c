package doctor

import (
	"context"
	"fmt"

	"dg/platform/postgres"
	"dg/platform/postgres/replica"
)

// replicaFixes are the fixes of a replica that reports do not read.
var replicaFixes = map[replica.State]string{
	replica.Behind: "See whether its replay is paused (pg_wal_replay_resume), what " +
		"keeps it busy, and that the primary has synchronous_commit on.",
	replica.Promoted: "Make it a standby of the primary again (pg_rewind, or a new " +
		"base backup), or remove it from DG_DATABASE_REPLICA_URLS.",
	replica.Diverged: "Make it a standby of the primary again: pg_rewind, or a new base backup.",
	replica.Unreachable: "Check its URL in DG_DATABASE_REPLICA_URLS, that it runs with " +
		"hot_standby=on, and that pg_hba.conf admits this machine.",
}

// Replica checks that reports can read from a replica. instance is the number of connections that
// one instance opens to it.
func Replica(ctx context.Context, r *replica.Replica, of *postgres.DB, instance int) Finding {
	check := fmt.Sprintf("replica %d", r.Number)
	if state := r.State(); state != replica.Following {
		return Warn(check, "reports leave it out: it is "+string(state), replicaFixes[state])
	}
	pool := r.Pool(of).Pool
	allowed, err := postgres.AllowedConnections(ctx, pool)
	var feedback string
	if err == nil {
		err = pool.QueryRow(ctx,
			`/* doctor.replica */ select current_setting('hot_standby_feedback')`).Scan(&feedback)
	}
	switch {
	case err != nil:
		return Warn(check, "reports leave it out: it does not answer",
			replicaFixes[replica.Unreachable])
	case instance > allowed:
		return Fail(check,
			fmt.Sprintf("an instance opens up to %d connections to it, and it allows %d", instance,
				allowed), "Raise its max_connections, or lower DG_POOL_READS.")
	case feedback != "on":
		return Warn(check,
			"hot_standby_feedback is off: vacuum on the primary breaks long exports",
			"Set it to on in the replica's configuration.")
	}
	return ok(check,
		"follows the primary, %d bytes behind; an instance opens up to %d of %d connections",
		r.Lag(), instance, allowed)
}
