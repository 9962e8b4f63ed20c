package reports

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Verify packs every sealed day and month again from the plays and returns those that differ, in words. It changes
// nothing. A marked one cannot differ: it is not read.
func (s *Sealer) Verify(ctx context.Context) (wrong []string, err error) {
	conn, err := s.db.Pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("reports: verify: %w", err)
	}
	defer conn.Release()
	forks, err := s.largeForks(ctx, conn)
	if err != nil {
		return nil, err
	}
	for _, f := range forks {
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockPlaysSQL); err != nil {
				return fmt.Errorf("reports: verify: %w", err)
			}
			found, err := (&snapshot{conn: conn, query: Query{OrganisationID: f.OrganisationID, ForkID: f.ID}}).verify(ctx, s.largest)
			wrong = append(wrong, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

func (s *snapshot) verify(ctx context.Context, largest int) (wrong []string, err error) {
	batch := &pgx.Batch{}
	queueSealedWithin(batch, s.query, "-infinity", "infinity")
	results := s.conn.SendBatch(ctx, batch)
	all, err := readSealed(results)
	if closed := results.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	for _, d := range all.days {
		s.query.Period = Period{From: d.date, Days: 1}
		packed, _, err := s.packDay(ctx, largest)
		if err != nil {
			return nil, err
		}
		wrong, err = s.compare(ctx, wrong, `select sums || segment from fork_days where org_id = $1 and fork_id = $2 and day = $3`,
			bytes.Join([][]byte{packed.sums.pack(nil), packed.head, packed.tail}, nil))
		if err != nil {
			return nil, err
		}
	}
	for _, m := range all.months {
		s.query.Period = Period{From: m, Days: int(m.AddDate(0, 1, 0).Sub(m) / day)}
		s.sealed = sealed{}
		t := newTally(s.query.Period)
		if err := s.fold(ctx, t); err != nil {
			return nil, err
		}
		wrong, err = s.compare(ctx, wrong, `select segment from fork_months where org_id = $1 and fork_id = $2 and month = $3`, packMonth(m.UnixMilli(), &t.players))
		if err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// compare adds a line to wrong when what is stored for the first day of the period is not what it should be.
func (s *snapshot) compare(ctx context.Context, wrong []string, sql string, want []byte) ([]string, error) {
	var stored []byte
	q := s.query
	if err := s.conn.QueryRow(ctx, "/* reports.verify */ "+sql, q.OrganisationID, q.ForkID, q.Period.From).Scan(&stored); err != nil {
		return wrong, fmt.Errorf("reports: verify: %w", err)
	}
	if !bytes.Equal(stored, want) {
		wrong = append(wrong, fmt.Sprintf("fork %s, %s: the segment is not what the plays say", q.ForkID, q.Period))
	}
	return wrong, nil
}
