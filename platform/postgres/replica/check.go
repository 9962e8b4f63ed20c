package replica

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/postgres"
)

// State is whether a replica takes reads, or why it does not.
type State string

// The states.
const (
	Following State = "following" // it is read from
	Behind    State = "behind"    // it lags, or its replay is paused
	Promoted  State = "promoted"  // it is no standby
	Diverged  State = "diverged"  // it has another history than the primary
	Foreign   State = "foreign"   // it belongs to another database system
	// it does not answer, or was not checked since it started
	Unreachable State = "unreachable"
)

// States are all states.
var States = []State{Following, Behind, Promoted, Diverged, Foreign, Unreachable}

var notChecked = Unreachable

// reason is the reason that a replica takes no reads.
type reason struct {
	state State
	text  string
}

func (f *reason) Error() string { return f.text }

var (
	errBehind     = &reason{Behind, "it has not replayed what the primary has committed"}
	errPromoted   = &reason{Promoted, "it is no standby any more, or never was one"}
	errTimeline   = &reason{Diverged, "it is on another timeline than the primary"}
	errAhead      = &reason{Diverged, "it has more than the primary: a history of its own"}
	errForeign    = &reason{Foreign, "it belongs to another database system than the primary"}
	errRestarted  = &reason{Unreachable, "it was restarted"}
	errNoPosition = &reason{Behind,
		"the primary shows commits before they are in its log: synchronous_commit is off"}
)

func stateOf(err error) State {
	if fault, ok := errors.AsType[*reason](err); ok {
		return fault.state
	}
	return Unreachable
}

// State returns whether the replica is read from.
func (r *Replica) State() State { return *r.state.Load() }

// Lag returns how many bytes of the primary's log the replica had not replayed when it last
// answered a check.
func (r *Replica) Lag() int64 { return r.lag.Load() }

// Reads returns how many reads the replica has taken.
func (r *Replica) Reads() int64 { return r.reads.Load() }

// set changes the state, and logs a change once.
func (r *Replica) set(state State, err error) {
	if state != Following {
		r.verified.Store(nil)
	}
	if before := r.state.Swap(&state); *before == state && before != &notChecked {
		return
	}
	if state == Unreachable {
		for _, db := range r.pools {
			db.Pool.Reset() // a restart leaves each of them dead
		}
	}
	if state == Following {
		r.log.Info("reports read from the replica")
	} else {
		r.log.Warn("reports leave out the replica", "state", state, "error", postgres.Redact(err))
	}
}

const (
	checkInterval = time.Second
	checkTimeout  = time.Second
)

// Run checks every replica about once a second until ctx ends. Only a check readmits a replica, so
// that no read waits for a bad one.
func (rs *Replicas) Run(ctx context.Context) {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
			rs.check(ctx)
		}
	}
}

func (rs *Replicas) check(ctx context.Context) {
	var all sync.WaitGroup
	for _, r := range rs.all {
		all.Go(func() { r.check(ctx) })
	}
	all.Wait()
}

// check verifies the replica. One that fails is not read until a check succeeds. While the primary
// does not answer the state stays: no request gets past authentication then.
func (r *Replica) check(ctx context.Context) {
	limited, stop := context.WithTimeout(ctx, checkTimeout)
	defer stop()
	conn, err := r.probes.Pool.Acquire(limited)
	if err == nil {
		defer conn.Release()
		var run *serverRun
		if run, err = r.verify(limited, conn); err == nil && run != nil {
			r.verified.Store(run)
			r.set(Following, nil)
		}
	}
	if err != nil && ctx.Err() == nil {
		r.set(stateOf(err), err)
	}
}

// verify returns the run of a replica that follows the primary, or nil while the primary does not
// answer. To be readmitted, a replica replays a record written now, which a diverged history never
// does.
func (r *Replica) verify(ctx context.Context, conn *pgxpool.Conn) (*serverRun, error) {
	seen, err := identify(ctx, conn)
	if err != nil {
		return nil, err
	}
	primary, at, err := r.of.position(ctx)
	if err != nil {
		return nil, nil // the primary's own pools tell
	}
	switch {
	case seen.system != primary:
		return nil, errForeign
	case !seen.standby:
		return nil, errPromoted
	case at == (postgres.Position{}):
		return nil, errNoPosition
	case seen.timeline != at.Timeline:
		return nil, errTimeline
	case seen.replayed > at.LSN:
		return nil, errAhead
	}
	r.lag.Store(int64(at.LSN - seen.replayed))
	run := &serverRun{seen.started, at.Timeline}
	if before := r.verified.Load(); before == nil || *before != *run {
		if err = r.probes.CheckSession(ctx, conn.Conn()); err != nil {
			return nil, err
		}
		if at, err = r.of.mark(ctx); err != nil {
			return nil, nil
		}
	}
	waiting, stop := context.WithTimeout(ctx, Wait)
	defer stop()
	return run, r.await(waiting, conn, run, at)
}

// await waits until the replica has replayed the position in the run.
func (r *Replica) await(
	ctx context.Context, conn *pgxpool.Conn, run *serverRun, at postgres.Position,
) error {
	for delay := time.Millisecond; ; delay *= 2 {
		replayed, err := replayedIn(ctx, conn, run)
		switch {
		case err != nil && delay > time.Millisecond && ctx.Err() != nil:
			return errBehind
		case err != nil || replayed >= at.LSN:
			return err
		case amidRecord(at.LSN):
			r.of.flush()
		}
		select {
		case <-ctx.Done():
			return errBehind
		case <-time.After(delay):
		}
	}
}
