package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// measureExport measures a CSV export of the fork over the longest period.
func measureExport(ctx context.Context, b *bench) error {
	c := b.newClient(&b.data.Main)
	path := b.path("exports/csv", &b.data.Main, 366)
	return b.compare(ctx, "export, 366 days; COPY of the raw values to CSV", 0.83,
		timedWork(1, c.getFunc(path)), timedWork(1, b.copyRaw))
}

// copyRaw is the baseline of an export: COPY of the raw columns, like psql's \copy.
func (b *bench) copyRaw(ctx context.Context) error {
	from, end := b.period(366)
	sql := fmt.Sprintf(`/* bench */ copy (select id, fork_id, release_number, player, started_at,
			completed_at, score, passed, answers
		from plays where org_id = '%s' and fork_id = '%s' and started_at >= '%s' and started_at < '%s'
		order by started_at, id) to stdout (format csv)`, b.data.Main.IDs.Organisation,
		b.data.Main.IDs.Fork, from.Format(time.RFC3339), end.Format(time.RFC3339))
	return b.owner.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Conn().PgConn().CopyTo(ctx, io.Discard, sql)
		return err
	})
}
