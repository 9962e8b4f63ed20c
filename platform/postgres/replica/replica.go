package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/postgres"
)

// Wait bounds the wait of a read for a replica, connecting included. Then the read goes to
// the primary.
const Wait = 50 * time.Millisecond

// Replicas are hot standbys of the primary.
type Replicas struct {
	primary  *postgres.DB
	all      []*Replica
	next     atomic.Uint32 // among equally busy ones
	flushing atomic.Bool
}

// Replica takes reads while it is verified. A failed read leaves it out until the next check, so
// that at most as many reads a second wait in vain as its pools have connections.
type Replica struct {
	Number int // in the order of the setting, from 1: its name in log and metrics
	of     *Replicas
	pools  map[*postgres.DB]*postgres.DB // by the pool of the primary whose reads they take
	probes *postgres.DB
	log    *slog.Logger

	verified atomic.Pointer[serverRun] // nil: it is left out
	state    atomic.Pointer[State]
	lag      atomic.Int64
	reads    atomic.Int64
}

// serverRun identifies one run of a server on a timeline. Within a run the replayed LSN only
// advances.
type serverRun struct {
	started  time.Time
	timeline uint32
}

// Open opens replicas of the primary, each with a pool for every key of like, for AcquireReplica of
// that key. It fails for a malformed URL or another database system, not for an unreachable
// replica.
func Open(
	ctx context.Context, urls []string, primary *postgres.DB, like map[*postgres.DB]postgres.Options,
) (*Replicas, error) {
	rs := &Replicas{primary: primary}
	for i, url := range urls {
		r := &Replica{Number: i + 1, of: rs, pools: map[*postgres.DB]*postgres.DB{}}
		r.state.Store(&notChecked)
		rs.all = append(rs.all, r)
		for db, opts := range like {
			r.log = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)).With("replica", r.Number)
			opts.Name = fmt.Sprintf("%s replica %d", opts.Name, r.Number)
			opts.Replica = true
			pool, err := postgres.Open(ctx, url, opts)
			if err != nil {
				rs.Close()
				return nil, fmt.Errorf("replica %d: %w", r.Number, err)
			}
			r.pools[db] = pool
			r.probes = pool
		}
	}
	rs.check(ctx)
	for _, r := range rs.all {
		if *r.state.Load() == Foreign {
			rs.Close()
			return nil,
				fmt.Errorf(
					"replica %d is not a copy of the primary: it belongs to another database "+
						"system. Correct DG_DATABASE_REPLICA_URLS", r.Number,
				)
		}
	}
	primary.ReadFrom(rs, slices.Collect(maps.Keys(like))...)
	return rs, nil
}

// Close closes the pools.
func (rs *Replicas) Close() {
	if rs == nil {
		return
	}
	var all sync.WaitGroup
	for _, r := range rs.all {
		for _, db := range r.pools {
			all.Go(db.Close)
		}
	}
	all.Wait()
}

// All returns the replicas in the order of the setting.
func (rs *Replicas) All() []*Replica {
	if rs == nil {
		return nil
	}
	return rs.all
}

// Pool returns the replica's counterpart of a pool of the primary.
func (r *Replica) Pool(of *postgres.DB) *postgres.DB { return r.pools[of] }

// Acquire implements postgres.Replicas.
func (rs *Replicas) Acquire(
	ctx context.Context, of *postgres.DB, at postgres.Position,
) *pgxpool.Conn {
	r, run := rs.pick(of, at)
	if r == nil {
		return nil
	}
	waiting, stop := context.WithTimeout(ctx, Wait)
	defer stop()
	conn, err := r.pools[of].Pool.Acquire(waiting)
	if errors.Is(err, context.DeadlineExceeded) {
		// a later read uses the connection; the next check reports a server that refuses new ones
		return nil
	}
	if err == nil {
		if err = r.await(waiting, conn, run, at); err == nil {
			r.reads.Add(1)
			return conn
		}
		conn.Release()
	}
	if ctx.Err() == nil {
		r.set(stateOf(err), err)
	}
	return nil
}

// pick returns the least busy verified replica that has a connection left.
func (rs *Replicas) pick(of *postgres.DB, at postgres.Position) (picked *Replica, run *serverRun) {
	least := int32(0)
	first := int(rs.next.Add(1))
	for i := range rs.all {
		r := rs.all[(first+i)%len(rs.all)]
		verified := r.verified.Load()
		stat := r.pools[of].Pool.Stat()
		busy := stat.TotalConns() - stat.IdleConns() // with those that are being opened
		if verified == nil || verified.timeline != at.Timeline || busy >= stat.MaxConns() ||
			picked != nil && busy >= least {
			continue
		}
		picked = r
		run = verified
		least = busy
	}
	return picked, run
}
