package postgres

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// statementTracer is a pgx.QueryTracer and BatchTracer. Its spans have neither SQL nor parameters,
// which may be personal data.
type statementTracer struct {
	tracer trace.Tracer
	pool   string
}

// statementTag finds a statement's tag or, without a tag, its first word: begin, commit, ping.
var statementTag = regexp.MustCompile(
	`^\s*(?:/\* ([A-Za-z]+\.[A-Za-z]+) \*/|(?:-- )?([A-Za-z]+)\b)`,
)

func statementName(sql string) string {
	found := statementTag.FindStringSubmatch(sql)
	if found == nil {
		return "statement"
	}
	return found[1] + found[2]
}

func (t statementTracer) start(
	ctx context.Context, sql string, options ...trace.SpanStartOption,
) (context.Context, trace.Span) {
	return t.tracer.Start(ctx, statementName(sql),
		append(options, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attribute.String("db.system.name", "postgresql"),
			attribute.String("db.client.connection.pool.name", t.pool)))...)
}

// end records the SQLSTATE of an error but not its message, which may quote values.
func end(span trace.Span, err error) {
	if err != nil {
		reason := "failed"
		if e, ok := errors.AsType[*pgconn.PgError](err); ok {
			reason = e.Code
		}
		span.SetAttributes(attribute.String("db.response.status_code", reason))
		span.SetStatus(codes.Error, reason)
	}
	span.End()
}

func (t statementTracer) TraceQueryStart(
	ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData,
) context.Context {
	ctx, _ = t.start(ctx, data.SQL)
	return ctx
}

func (t statementTracer) TraceQueryEnd(
	ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData,
) {
	end(trace.SpanFromContext(ctx), data.Err)
}

// batchKey is the context key of the time at which the previous statement of a batch ended.
type batchKey struct{}

func (t statementTracer) TraceBatchStart(
	ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData,
) context.Context {
	now := time.Now()
	return context.WithValue(ctx, batchKey{}, &now)
}

// TraceBatchQuery measures a statement from the end of the previous one.
func (t statementTracer) TraceBatchQuery(
	ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData,
) {
	before := ctx.Value(batchKey{}).(*time.Time)
	_, span := t.start(ctx, data.SQL, trace.WithTimestamp(*before))
	end(span, data.Err)
	*before = time.Now()
}

func (t statementTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
