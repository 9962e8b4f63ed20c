package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ReplicaState is whether a replica takes reads, or why it does not.
type ReplicaState string

// The states.
const (
	ReplicaFollowing ReplicaState = "following" // it is read from
	ReplicaBehind    ReplicaState = "behind"    // it lags, or its replay is paused
	ReplicaPromoted  ReplicaState = "promoted"  // it is no standby
	ReplicaDiverged  ReplicaState = "diverged"  // it has another history than the primary
	ReplicaForeign   ReplicaState = "foreign"   // it belongs to another database system
	// it does not answer, or was not checked since it started
	ReplicaUnreachable ReplicaState = "unreachable"
)

// ReplicaStates are all states.
var ReplicaStates = []ReplicaState{
	ReplicaFollowing, ReplicaBehind, ReplicaPromoted, ReplicaDiverged, ReplicaForeign,
	ReplicaUnreachable,
}

var notChecked = ReplicaUnreachable

// replicaError is the reason that a replica takes no reads.
type replicaError struct {
	state ReplicaState
	text  string
}

func (f *replicaError) Error() string { return f.text }

var (
	errBehind = &replicaError{
		ReplicaBehind, "it has not replayed what the primary has committed",
	}
	errPromoted = &replicaError{ReplicaPromoted, "it is no standby any more, or never was one"}
	errTimeline = &replicaError{ReplicaDiverged, "it is on another timeline than the primary"}
	errAhead    = &replicaError{
		ReplicaDiverged, "it has more than the primary: a history of its own",
	}
	errForeign = &replicaError{
		ReplicaForeign, "it belongs to another database system than the primary",
	}
	errNoPosition = &replicaError{
		ReplicaBehind,
		"the primary shows commits before they are in its log: synchronous_commit is off",
	}
	errRestarted = &replicaError{ReplicaUnreachable, "it was restarted"}
)

func stateOf(err error) ReplicaState {
	if fault, ok := errors.AsType[*replicaError](err); ok {
		return fault.state
	}
	return ReplicaUnreachable
}

// State returns whether the replica is read from.
func (r *Replica) State() ReplicaState { return *r.state.Load() }

// Lag returns how many bytes of the primary's log the replica had not replayed when it last
// answered a check.
func (r *Replica) Lag() int64 { return r.lag.Load() }

// Reads returns how many reads the replica has taken.
func (r *Replica) Reads() int64 { return r.reads.Load() }

// set changes the state, and logs a change once.
func (r *Replica) set(state ReplicaState, err error) {
	if state != ReplicaFollowing {
		r.verified.Store(nil)
	}
	if before := r.state.Swap(&state); *before == state && before != &notChecked {
		return
	}
	if state == ReplicaUnreachable {
		for _, db := range r.pools {
			db.Pool.Reset() // a restart leaves each of them dead
		}
	}
	if state == ReplicaFollowing {
		r.log.Info("reports read from the replica")
	} else {
		r.log.Warn("reports leave out the replica", "state", state, "error", Redact(err))
	}
}

const (
	checkInterval = time.Second
	checkTimeout  = time.Second
)

// Run checks every replica about once a second until ctx ends. Only a check readmits a replica, so
// that no read waits for a bad one.
func (rs *Replicas) Run(ctx context.Context) {
	for pause(ctx, checkInterval) == nil {
		rs.check(ctx)
	}
}

func (rs *Replicas) check(ctx context.Context) {
	done := make(chan struct{}, len(rs.all))
	for _, r := range rs.all {
		go func() {
			r.check(ctx)
			done <- struct{}{}
		}()
	}
	for range rs.all {
		<-done
	}
}

// check verifies the replica, or leaves it out. It changes nothing while the primary does not
// answer: no request starts then.
func (r *Replica) check(ctx context.Context) {
	limited, stop := context.WithTimeout(ctx, checkTimeout)
	defer stop()
	conn, err := r.probes.Pool.Acquire(limited)
	if err == nil {
		defer conn.Release()
		var run *serverRun
		if run, err = r.verify(limited, conn); err == nil && run != nil {
			r.verified.Store(run)
			r.set(ReplicaFollowing, nil)
		}
	}
	if err != nil && ctx.Err() == nil {
		r.set(stateOf(err), err)
	}
}

// verify returns the run of a replica that follows the primary, or nil while the primary does not
// answer. A replica that was left out must replay a record written now, which a stopped replica
// with a diverged history never does.
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
	case at == (Position{}):
		return nil, errNoPosition
	case seen.timeline != at.timeline:
		return nil, errTimeline
	case seen.replayed > at.lsn:
		return nil, errAhead
	}
	r.lag.Store(int64(at.lsn - seen.replayed))
	run := &serverRun{seen.started, at.timeline}
	if before := r.verified.Load(); before == nil || *before != *run {
		if err = r.checkSession(ctx, conn); err != nil {
			return nil, err
		}
		if at, err = r.of.mark(ctx); err != nil {
			return nil, nil
		}
	}
	waiting, stop := context.WithTimeout(ctx, ReplicaWait)
	defer stop()
	return run, r.await(waiting, conn, run, at)
}

// checkSession refuses an unsuitable pooler. It ends a session that predates the replay of the
// role's settings; the next check opens another.
func (r *Replica) checkSession(ctx context.Context, conn *pgxpool.Conn) error {
	err := checkSession(ctx, conn.Conn(), r.probes.pooled)
	if err != nil && r.probes.pooled {
		_, _ = conn.Exec(ctx,
			`/* postgres.endSession */ select pg_terminate_backend(pg_backend_pid())`)
	}
	return err
}

// await waits until the replica has replayed the position in the run.
func (r *Replica) await(
	ctx context.Context, conn *pgxpool.Conn, run *serverRun, at Position,
) error {
	for delay := time.Millisecond; ; delay *= 2 {
		replayed, err := replayedIn(ctx, conn, run)
		switch {
		case err != nil && delay > time.Millisecond && ctx.Err() != nil:
			return errBehind
		case err != nil || replayed >= at.lsn:
			return err
		case at.amidRecord():
			r.of.flush()
		}
		if pause(ctx, delay) != nil {
			return errBehind
		}
	}
}
