package reports

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
)

// sealFunc seals the day or month of a snapshot.
type sealFunc func(context.Context, *snapshot) (Sealed, error)

// sealBucket seals a day or a month in a transaction of its own, at READ COMMITTED, unless a writer holds its lock.
// Errors: ErrSealerLocked.
func (p *pass) sealBucket(ctx context.Context, q Query, seal sealFunc) (done Sealed, err error) {
	err = pgx.BeginTxFunc(ctx, p.conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if err := p.lockSealer(ctx, p.timeout, tx); err != nil {
			return err
		}
		free, err := tryLockDays(ctx, tx, q)
		if err != nil {
			return err
		}
		if !free {
			done.Busy = 1
			return nil
		}
		done, err = seal(ctx, &snapshot{conn: p.conn, query: q})
		return err
	})
	if err != nil {
		return Sealed{}, fmt.Errorf("reports: seal %s of %s: %w", q.Period, q.ForkID, err)
	}
	return done, nil
}

// sealDay packs the plays of a day. A day with too many has an empty segment, which is never read: it records that the day
// was counted, and a write marks it as dirty like any other.
func (s *Sealer) sealDay(ctx context.Context, snap *snapshot) (Sealed, error) {
	packed, n, err := snap.packDay(ctx, s.maxDayPlays)
	switch {
	case err != nil:
		return Sealed{}, err
	case n == 0:
		return Sealed{}, snap.dropDay(ctx)
	case n > s.maxDayPlays:
		return Sealed{Large: 1}, snap.saveDay(ctx, packed)
	}
	return Sealed{Days: 1}, snap.saveDay(ctx, packed)
}

// packDay packs the plays of the snapshot's day unless there are more than maxPlays. It returns their number, counted up to
// one more.
func (s *snapshot) packDay(ctx context.Context, maxPlays int) (segment.Day, int, error) {
	n, err := s.countDay(ctx, maxPlays+1)
	if err != nil || n > maxPlays {
		return segment.Day{Head: []byte{}}, n, err
	}
	plays := make([]segment.Play, 0, n)
	err = s.eachPlay(ctx, func(p *segment.Play) {
		plays = append(plays, *p)
		plays[len(plays)-1].Answers = bytes.Clone(p.Answers)
	})
	return segment.PackDay(s.query.Period.From.UnixMilli(), plays), n, err
}

// maxMonthBytes bounds the plays of a month that are packed player by player, about 1.8 million.
const maxMonthBytes = 40 << 20

// sealMonth packs the plays of a month.
func (s *Sealer) sealMonth(ctx context.Context, snap *snapshot) (Sealed, error) {
	err := snap.readSealedDays(ctx)
	if err != nil {
		return Sealed{}, err
	}
	plays, err := snap.monthPlays(ctx, s.maxMonthBytes)
	if err == nil {
		err = markDirty(ctx, snap.conn, snap.damaged, s.OnDamage)
	}
	switch {
	case err != nil:
		return Sealed{}, err
	case plays.Empty():
		return Sealed{}, snap.dropMonth(ctx)
	}
	return Sealed{Months: 1}, snap.saveMonth(ctx, plays.Pack())
}

// monthPlays collects the plays of the snapshot's month from its sealed days and the plays of the others.
func (s *snapshot) monthPlays(ctx context.Context, bound int) (m *segment.MonthPlays, err error) {
	err = s.withoutDamaged(ctx, func() error {
		var days []time.Time
		var sums segment.Sums
		s.eachSealedDay(func(date time.Time, ofDay *segment.Sums) {
			days = append(days, date)
			sums.Add(ofDay)
		})
		m = segment.NewMonthPlays(s.query.Period.From.UnixMilli(), bound, &sums)
		batch := &pgx.Batch{}
		s.queueDays(batch, days, nil, m.Add)
		from, to := s.meta.sealed.gaps(s.query.Period)
		s.queuePlays(batch, from, to, m.Add)
		return s.send(ctx, batch)
	})
	return m, err
}
