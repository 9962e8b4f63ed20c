package reports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lockPlaysSQL keeps TRUNCATE of the plays out until the transaction ends: it empties the table for snapshots that are
// older, too, and the segments not. It comes before the snapshot is taken. Nothing else waits for it.
const lockPlaysSQL = `/* reports.lockPlays */ lock table plays in access share mode`

// tryLocksSQL tries to keep all writers out of some days of a fork, without waiting for one. It is a statement of its
// own: what is read after it sees all that was written before.
const tryLocksSQL = `/* reports.tryLocks */
select pg_try_advisory_xact_lock(uuid_hash($1), -2147483648)
   and (select bool_and(pg_try_advisory_xact_lock(uuid_hash($1), d)) from generate_series($2::date - date '2000-01-01', $3::date - date '2000-01-01' - 1) d)`

// sealBucket seals a day or a month in a transaction of its own, at READ COMMITTED, unless somebody writes there. It is
// counted once it is committed.
func sealBucket(ctx context.Context, conn *pgxpool.Conn, q Query, done *Sealed, seal func(context.Context, *snapshot, *Sealed) error) error {
	var counted Sealed
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockPlaysSQL); err != nil {
			return err
		}
		var alone bool
		if err := tx.QueryRow(ctx, tryLocksSQL, q.ForkID, q.Period.From, q.Period.End()).Scan(&alone); err != nil {
			return err
		}
		if !alone {
			counted.Busy = 1
			return nil
		}
		return seal(ctx, &snapshot{conn: conn, query: q}, &counted)
	})
	if err != nil {
		return fmt.Errorf("reports: seal %s of %s: %w", q.Period, q.ForkID, err)
	}
	done.Days, done.Months = done.Days+counted.Days, done.Months+counted.Months
	done.Large, done.Busy = done.Large+counted.Large, done.Busy+counted.Busy
	return nil
}

// sealDay packs the plays of one day. A day without plays has no segment. A day with too many has an empty one, which is
// never read: it says that the day was looked at, and a write marks it as any other.
func (s *Sealer) sealDay(ctx context.Context, snap *snapshot, done *Sealed) error {
	segment, n, err := snap.packDay(ctx, s.largest)
	if err != nil {
		return err
	}
	q, sums := snap.query, segment.sums.pack(snap.query.Period.From.UnixMilli())
	batch := &pgx.Batch{}
	batch.Queue(`/* reports.unmarkDay */ delete from unsealed_days where fork_id = $1 and day = $2`, q.ForkID, q.Period.From)
	switch {
	case n == 0:
		batch.Queue(`/* reports.dropDay */ delete from fork_days where org_id = $1 and fork_id = $2 and day = $3`, q.OrganisationID, q.ForkID, q.Period.From)
		return snap.conn.SendBatch(ctx, batch).Close()
	case n > s.largest:
		done.Large++
	default:
		done.Days++
	}
	batch.Queue(`/* reports.sealDay */ insert into fork_days (org_id, fork_id, day, sums, head_bytes, segment) values ($1, $2, $3, $4, $5, $6)
		on conflict (fork_id, day) do update set sums = excluded.sums, head_bytes = excluded.head_bytes, segment = excluded.segment`,
		q.OrganisationID, q.ForkID, q.Period.From, sums, len(segment.head), append(segment.head, segment.tail...))
	return snap.conn.SendBatch(ctx, batch).Close()
}

// packDay packs the plays of the snapshot's one day and returns how many there are, counted up to one more than are packed.
func (s *snapshot) packDay(ctx context.Context, largest int) (daySegment, int, error) {
	p, n := s.query.Period, 0
	err := s.conn.QueryRow(ctx, `/* reports.countDay */ select count(*) from (select from plays
		where org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4 limit $5) x`,
		s.query.OrganisationID, s.query.ForkID, p.From, p.End(), largest+1).Scan(&n)
	if err != nil || n > largest {
		return daySegment{head: []byte{}}, n, err
	}
	plays := make([]play, 0, n)
	err = s.plays(ctx, []time.Time{p.From}, []time.Time{p.End()}, func(one play) {
		one.answers = append([]byte(nil), one.answers...)
		plays = append(plays, one)
	})
	if err != nil {
		return daySegment{}, 0, err
	}
	return packDay(p.From.UnixMilli(), plays), n, nil
}

// sealMonth packs the players of one month. A month without players has no segment.
func (s *Sealer) sealMonth(ctx context.Context, snap *snapshot, done *Sealed) error {
	q := snap.query
	players, err := snap.playersOfMonth(ctx)
	if err == nil {
		err = markDamaged(ctx, snap.conn, snap.damaged, s.OnDamage)
	}
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue(`/* reports.unmarkMonth */ delete from unsealed_months where fork_id = $1 and month = $2`, q.ForkID, q.Period.From)
	if players.count() == 0 {
		batch.Queue(`/* reports.dropMonth */ delete from fork_months where org_id = $1 and fork_id = $2 and month = $3`, q.OrganisationID, q.ForkID, q.Period.From)
	} else {
		done.Months++
		batch.Queue(`/* reports.sealMonth */ insert into fork_months (org_id, fork_id, month, segment) values ($1, $2, $3, $4)
			on conflict (fork_id, month) do update set segment = excluded.segment`,
			q.OrganisationID, q.ForkID, q.Period.From, packMonth(q.Period.From.UnixMilli(), players))
	}
	return snap.conn.SendBatch(ctx, batch).Close()
}

// playersOfMonth sums the players of the snapshot's one month, from its sealed days and the plays of the others.
func (s *snapshot) playersOfMonth(ctx context.Context) (*playerSums, error) {
	batch := &pgx.Batch{}
	queueSealed(batch, s.query)
	results := s.conn.SendBatch(ctx, batch)
	var err error
	s.sealed, err = readSealed(results)
	if err = errors.Join(err, results.Close()); err != nil {
		return nil, err
	}
	s.sealed.months = nil // what is packed here is not its own source
	var t *tally
	err = s.undamaged(ctx, func() error {
		t = newTally(s.query.Period)
		return s.fold(ctx, t)
	})
	if err != nil {
		return nil, err
	}
	return &t.players, nil
}
