package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ReplicaWait bounds the wait of a read for a replica, connecting included. Then the read goes to
// the primary.
const ReplicaWait = 50 * time.Millisecond

// Replicas are hot standbys of the primary.
type Replicas struct {
	primary  *DB
	all      []*Replica
	next     atomic.Uint32 // among equally busy ones
	flushing atomic.Bool
}

// Replica takes reads while it is verified. A failed read leaves it out until the next check, so
// that at most as many reads a second wait in vain as its pools have connections.
type Replica struct {
	Number int // in the order of the setting, from 1: its name in log and metrics
	of     *Replicas
	pools  map[*DB]*DB // by the pool of the primary whose reads they take
	probes *DB
	log    *slog.Logger

	verified atomic.Pointer[serverRun] // nil: it is left out
	state    atomic.Pointer[ReplicaState]
	lag      atomic.Int64
	reads    atomic.Int64
}

// serverRun identifies one run of a server on a timeline. Within a run the replayed LSN only
// advances.
type serverRun struct {
	started  time.Time
	timeline uint32
}

// OpenReplicas opens replicas of the primary, each with a pool for every key of like;
// AcquireReplica of that key then uses it. The caller runs Run and closes them. It fails for a
// malformed URL or a server that is no copy of the primary. An unreachable replica is no error.
func OpenReplicas(
	ctx context.Context, urls []string, primary *DB, like map[*DB]Options,
) (*Replicas, error) {
	rs := &Replicas{primary: primary}
	for i, url := range urls {
		r := &Replica{Number: i + 1, of: rs, pools: map[*DB]*DB{}}
		r.state.Store(&notChecked)
		rs.all = append(rs.all, r)
		for db, opts := range like {
			r.log = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)).With("replica", r.Number)
			opts.Name = fmt.Sprintf("%s replica %d", opts.Name, r.Number)
			opts.Replica = true
			pool, err := Open(ctx, url, opts)
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
		if *r.state.Load() == ReplicaForeign {
			rs.Close()
			return nil,
				fmt.Errorf(
					"replica %d is not a copy of the primary: it belongs to another database "+
						"system. Correct DG_DATABASE_REPLICA_URLS", r.Number,
				)
		}
	}
	primary.hasReplicas = true
	for db := range like {
		db.replicas = rs
	}
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
func (r *Replica) Pool(of *DB) *DB { return r.pools[of] }

// AcquireReplica returns a connection to a replica that has replayed the position, or nil if the
// primary must answer. A snapshot taken on it afterwards sees every commit that precedes the
// reading of the position.
func (db *DB) AcquireReplica(ctx context.Context, at Position) *pgxpool.Conn {
	r, run := db.pickReplica(at)
	if r == nil {
		return nil
	}
	waiting, stop := context.WithTimeout(ctx, ReplicaWait)
	defer stop()
	conn, err := r.pools[db].Pool.Acquire(waiting)
	if errors.Is(err, context.DeadlineExceeded) {
		// a later read has the connection, and the next check finds a server that accepts none
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

// pickReplica returns the least busy verified replica that has a connection left.
func (db *DB) pickReplica(at Position) (picked *Replica, run *serverRun) {
	if db.replicas == nil || at == (Position{}) {
		return nil, nil
	}
	all := db.replicas.all
	least := int32(0)
	first := int(db.replicas.next.Add(1))
	for i := range all {
		r := all[(first+i)%len(all)]
		verified := r.verified.Load()
		stat := r.pools[db].Pool.Stat()
		busy := stat.TotalConns() - stat.IdleConns() // with those that are being opened
		if verified == nil || verified.timeline != at.timeline || busy >= stat.MaxConns() ||
			picked != nil && busy >= least {
			continue
		}
		picked = r
		run = verified
		least = busy
	}
	return picked, run
}
