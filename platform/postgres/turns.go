package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/limiter"
)

// turns gives out the connections of a pool to the flows of requests in turn (package limiter), in place of the pool's own queue,
// in which a flow of many requests delays all others. pgx calls it as a tracer: around each acquisition, and at each release.
type turns struct{ limiter *limiter.Limiter }

// maxWaiting bounds the queue of a flow by the connections of the server: a whole minute of 80 keys may come at once.
const maxWaiting = 10_000

// inTurns makes the pool give out its connections in turn.
func inTurns(config *pgxpool.Config) {
	t := turns{limiter.New(limiter.Limits{Places: int(config.MaxConns), Waiting: maxWaiting, Busy: "Too many requests are waiting."})}
	if traced := config.ConnConfig.Tracer; traced != nil {
		config.ConnConfig.Tracer = multitracer.New(traced, t)
	} else {
		config.ConnConfig.Tracer = t
	}
}

// leaseKey is where the lease is kept: in the context while a connection is being acquired, then with the connection.
type leaseKey struct{}

const leaseData = "dg.turn"

// TraceAcquireStart implements pgxpool.AcquireTracer: it waits for the turn. Without one the returned context has expired.
func (t turns) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	lease, err := t.limiter.Acquire(ctx, limiter.Request{OrganisationID: limiter.FlowOf(ctx)})
	if err != nil {
		refused, cancel := context.WithDeadlineCause(ctx, time.Time{}, err)
		cancel()
		return refused
	}
	return context.WithValue(ctx, leaseKey{}, lease)
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (turns) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	lease, _ := ctx.Value(leaseKey{}).(*limiter.Lease)
	if data.Err != nil || data.Conn == nil {
		lease.Release()
		return
	}
	data.Conn.PgConn().CustomData()[leaseData] = lease
}

// TraceRelease implements pgxpool.ReleaseTracer.
func (turns) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	custom := data.Conn.PgConn().CustomData()
	lease, _ := custom[leaseData].(*limiter.Lease)
	delete(custom, leaseData)
	lease.Release()
}

// TraceQueryStart implements pgx.QueryTracer, as every tracer has to.
func (turns) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (turns) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
