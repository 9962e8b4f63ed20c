package postgres

import (
	"context"
	"errors"
	"regexp"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// statementTracer is a pgx.QueryTracer and BatchTracer: a batch is one span. Spans contain neither
// SQL nor parameters, which may be personal data.
type statementTracer struct {
	tracer trace.Tracer
	pool   string
}

// statementTagPattern matches a statement's tag or, without one, the first word, such as begin.
var statementTagPattern = regexp.MustCompile(
	`^\s*(?:/\* ([A-Za-z]+\.[A-Za-z]+) \*/|(?:-- )?([A-Za-z]+)\b)`,
)

func statementName(sql string) string {
	match := statementTagPattern.FindStringSubmatch(sql)
	if match == nil {
		return "statement"
	}
	return match[1] + match[2]
}

func (t statementTracer) startSpan(ctx context.Context, name string) context.Context {
	ctx, _ = t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system.name", "postgresql"),
		attribute.String("db.client.connection.pool.name", t.pool)))
	return ctx
}

// endSpan records the SQLSTATE of an error but not its message, which may quote values.
func endSpan(ctx context.Context, err error) {
	span := trace.SpanFromContext(ctx)
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
	ctx context.Context, _ *pgx.Conn, start pgx.TraceQueryStartData,
) context.Context {
	return t.startSpan(ctx, statementName(start.SQL))
}

func (t statementTracer) TraceQueryEnd(
	ctx context.Context, _ *pgx.Conn, end pgx.TraceQueryEndData,
) {
	endSpan(ctx, end.Err)
}

func (t statementTracer) TraceBatchStart(
	ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData,
) context.Context {
	return t.startSpan(ctx, "batch")
}

func (t statementTracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (t statementTracer) TraceBatchEnd(
	ctx context.Context, _ *pgx.Conn, end pgx.TraceBatchEndData,
) {
	endSpan(ctx, end.Err)
}

// firstClauses are the clauses that can begin a statement. Tag sets all, because it does not know
// the statement's kind.
var firstClauses = []string{"SELECT", "INSERT", "UPDATE", "DELETE"}

// Tag returns a gorm scope that begins the statement with a comment such as /* org.groups */, which
// names its caller in the server's log. The name must be a constant, because it is not escaped.
func Tag(name string) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		for _, first := range firstClauses {
			c := db.Statement.Clauses[first]
			c.BeforeExpression = clause.Expr{SQL: "/* " + name + " */"}
			db.Statement.Clauses[first] = c
		}
		return db
	}
}
