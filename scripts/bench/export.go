package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// export measures the CSV of all plays of the fork over the longest period.
func export(ctx context.Context, b *bench) error {
	c := b.client(&b.data.Main)
	path := b.path("exports/csv", &b.data.Main, 366)
	var ours, limit []float64 // milliseconds until the first byte
	err := b.compare(ctx, "export, 366 days; COPY of the raw values to CSV", 0.83,
		watched(&ours, func(ctx context.Context, w io.Writer) error { return c.get(ctx, path, w) }),
		watched(&limit, b.copyTo))
	if err == nil {
		b.report.note = fmt.Sprintf("First byte of the export: %.4g ms; of COPY: %.4g ms.",
			median(ours), median(limit))
	}
	return err
}

// watched returns the work of a transfer. Each run appends to firsts the milliseconds until its
// first byte.
func watched(firsts *[]float64, do func(context.Context, io.Writer) error) work {
	return timed(1, func(ctx context.Context) error {
		w := stopwatch{began: time.Now()}
		err := do(ctx, &w)
		*firsts = append(*firsts, milliseconds(w.first))
		return err
	})
}

// stopwatch discards what is written. first is the time until the first byte.
type stopwatch struct {
	began time.Time
	first time.Duration
}

// Write never fails.
func (s *stopwatch) Write(p []byte) (int, error) {
	if s.first == 0 {
		s.first = time.Since(s.began)
	}
	return len(p), nil
}

// copyTo is the limit of an export: COPY of the raw columns, as by psql's \copy.
func (b *bench) copyTo(ctx context.Context, to io.Writer) error {
	from, end := b.period(366)
	sql := fmt.Sprintf(`/* bench */ copy (select id, fork_id, release_number, player, started_at,
			completed_at, score, passed, answers
		from plays where org_id = '%s' and fork_id = '%s' and started_at >= '%s' and started_at < '%s'
		order by started_at, id) to stdout (format csv)`, b.data.Main.IDs.Organisation,
		b.data.Main.IDs.Fork, from.Format(time.RFC3339), end.Format(time.RFC3339))
	return b.owner.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Conn().PgConn().CopyTo(ctx, to, sql)
		return err
	})
}
