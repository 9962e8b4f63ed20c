package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// How often a client leaves, and how soon the query must have ended then.
const (
	leavings = 10
	goneBar  = 100 * time.Millisecond
)

// gone measures how long the query of an export lives on when its client leaves in the midst of the rows.
func (b *bench) gone(ctx context.Context) error {
	q := b.last(&b.main, 366)
	var took []float64
	begun := time.Now()
	for range leavings {
		d, err := b.begin(ctx, q)
		if err != nil {
			return err
		}
		if err := d.read(1 << 20); err != nil {
			d.conn.Close()
			return err
		}
		active, err := b.exporting(ctx)
		if err != nil || !active {
			d.conn.Close()
			return fmt.Errorf("the export was over before its client could leave: %w", err)
		}
		began := time.Now()
		d.conn.Close()
		for active {
			if active, err = b.exporting(ctx); err != nil {
				return err
			}
		}
		took = append(took, milliseconds(time.Since(began)))
	}
	if err := b.recordedGone(ctx, q, begun); err != nil {
		return err
	}
	b.within("broken export: until its query has ended", one(took...), milliseconds(goneBar), inMilliseconds)
	return nil
}

// exporting says whether an export's query is active.
func (b *bench) exporting(ctx context.Context) (active bool, err error) {
	// Both roles' sessions are told apart by name, which everybody may see; the text of a query is for its own role.
	err = b.reads.QueryRow(ctx, `/* bench.exporting */ select exists (select from pg_stat_activity
		where application_name = 'dg exports' and state = 'active' and query like '/* reports.export%')`, pgx.QueryExecModeExec).Scan(&active)
	return active, err
}

// recordedGone waits until the audit log says of every broken export that its client had gone: one that came to its own
// end would prove nothing.
func (b *bench) recordedGone(ctx context.Context, q query, begun time.Time) error {
	for {
		var gone, others int
		if err := b.reads.QueryRow(ctx, `/* bench.gone */ select count(*) filter (where details->>'outcome' = 'client_gone'),
			count(*) filter (where details->>'outcome' <> 'client_gone') from audit_entries
			 where org_id = $1 and action = 'export.finished' and at >= $2`, q.organisation(), begun).Scan(&gone, &others); err != nil {
			return err
		}
		if gone == leavings {
			return nil
		}
		if others > 0 || time.Since(begun) > time.Minute {
			return fmt.Errorf("of %d broken exports, %d were recorded as left by the client and %d otherwise", leavings, gone, others)
		}
	}
}
