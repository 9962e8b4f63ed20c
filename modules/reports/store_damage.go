package reports

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// A damaged day or month is marked as dirty once. $1 fork, $2 date.
const (
	markDaySQL = `/* reports.markDay */ insert into unsealed_days (fork_id, day)
		select $1, $2 where not exists (select from unsealed_days where fork_id = $1 and day = $2)`
	markMonthSQL = `/* reports.markMonth */ insert into unsealed_months (fork_id, month)
		select $1, $2 where not exists (select from unsealed_months where fork_id = $1 and month = $2)`
)

// executor is a pool, or a connection in a transaction.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// markDirty marks what is damaged, and calls report for what was not marked before.
func markDirty(ctx context.Context, db executor, damaged []Damage, report func(Damage)) error {
	for _, d := range damaged {
		sql := markDaySQL
		if d.isMonth() {
			sql = markMonthSQL
		}
		tag, err := db.Exec(ctx, sql, d.ForkID, d.Period.From)
		if err != nil {
			return fmt.Errorf("reports: mark %s of %s as dirty: %w", d.Period, d.ForkID, err)
		}
		if tag.RowsAffected() > 0 {
			report(d)
		}
	}
	return nil
}
