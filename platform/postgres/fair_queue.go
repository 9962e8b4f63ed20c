package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/fairshare"
)

// fairQueue replaces the FIFO queue of a pool, in which one tenant's burst delays all others. pgx
// calls it as a tracer, around each acquisition and at each release.
type fairQueue struct{ tenants, networks *fairshare.Limiter }

// maxWaiting bounds the queue of a flow by the connections of the server: a whole minute of 80 keys
// may come at once.
const maxWaiting = 10_000

// queueFairly gives the pool a fairQueue. Networks get a fifth of the connections, so that a flood
// of invalid credentials waits behind itself. With fewer than five they share one with
// organisations.
func queueFairly(config *pgxpool.Config) {
	limits := fairshare.Limits{Waiting: maxWaiting, BusyMessage: "Too many requests are waiting."}
	forNetworks := int(config.MaxConns) / 5
	limits.MaxConcurrent = int(config.MaxConns) - forNetworks
	tenants := fairshare.New(limits)
	limits.MaxConcurrent = max(1, forNetworks)
	limits.Rest = true
	q := fairQueue{tenants, fairshare.New(limits)}
	if traced := config.ConnConfig.Tracer; traced != nil {
		config.ConnConfig.Tracer = multitracer.New(traced, q)
	} else {
		config.ConnConfig.Tracer = q
	}
}

// leaseKey is where the lease is kept: in the context while a connection is being acquired, then
// with the connection.
type leaseKey struct{}

const leaseData = "dg.lease"

// TraceAcquireStart implements pgxpool.AcquireTracer: it waits for a lease. Without one the
// returned context has expired.
func (q fairQueue) TraceAcquireStart(
	ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData,
) context.Context {
	flow := fairshare.FlowOf(ctx)
	from := q.tenants
	if flow.Network {
		from = q.networks
	}
	lease, err := from.Acquire(ctx, fairshare.Request{OrganisationID: flow.ID})
	if err != nil {
		refused, cancel := context.WithDeadlineCause(ctx, time.Time{}, err)
		cancel()
		return refused
	}
	return context.WithValue(ctx, leaseKey{}, lease)
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (fairQueue) TraceAcquireEnd(
	ctx context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData,
) {
	lease, _ := ctx.Value(leaseKey{}).(*fairshare.Lease)
	if data.Err != nil || data.Conn == nil {
		lease.Release()
		return
	}
	data.Conn.PgConn().CustomData()[leaseData] = lease
}

// TraceRelease implements pgxpool.ReleaseTracer.
func (fairQueue) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	custom := data.Conn.PgConn().CustomData()
	lease, _ := custom[leaseData].(*fairshare.Lease)
	delete(custom, leaseData)
	lease.Release()
}

// TraceQueryStart implements pgx.QueryTracer, as every tracer has to.
func (fairQueue) TraceQueryStart(
	ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData,
) context.Context {
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (fairQueue) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
