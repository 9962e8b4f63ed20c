package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// slowStatement is the duration from which a statement is logged.
const slowStatement = time.Second

// statementLog logs gorm's failed and slow statements with placeholders. gorm's own slog logger
// prints the error's text, in which PostgreSQL quotes values.
type statementLog struct {
	log *slog.Logger
}

// LogMode ignores the level, so that no call turns values on.
func (l statementLog) LogMode(logger.LogLevel) logger.Interface { return l }

// Info drops gorm's messages of this level.
func (l statementLog) Info(context.Context, string, ...any) {}

// Warn logs gorm's own warnings without their arguments.
func (l statementLog) Warn(ctx context.Context, msg string, _ ...any) {
	l.log.WarnContext(ctx, msg)
}

// Error logs gorm's own errors without their arguments.
func (l statementLog) Error(ctx context.Context, msg string, _ ...any) {
	l.log.ErrorContext(ctx, msg)
}

// ParamsFilter keeps the arguments out of the statement that Trace is given.
func (l statementLog) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}

// Trace logs a statement that failed or was slow. A missing record and a client that left are no
// failures.
func (l statementLog) Trace(
	ctx context.Context, begin time.Time, statement func() (string, int64), err error,
) {
	took := time.Since(begin)
	failed := err != nil && !errors.Is(err, gorm.ErrRecordNotFound) &&
		!errors.Is(err, context.Canceled)
	if !failed && took < slowStatement {
		return
	}
	sql, rows := statement()
	attrs := []any{slog.String("sql", sql), slog.Int64("rows", rows),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000)}
	if failed {
		l.log.ErrorContext(ctx, "statement failed",
			append(attrs, slog.String("error", describe(err)))...)
		return
	}
	l.log.WarnContext(ctx, "slow statement", attrs...)
}

// dataException is the class of errors in which PostgreSQL quotes a value.
const dataException = "22"

// describe is the cause of a failed statement without values.
func describe(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		if strings.HasPrefix(e.Code, dataException) {
			return fmt.Sprintf("%s: a value was refused (SQLSTATE %s)", e.Severity, e.Code)
		}
		return strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Error(), e.TableName, e.ConstraintName))
	}
	if Unavailable(err) {
		return Redact(err).Error()
	}
	// Encoding and scanning errors quote the value as well.
	return fmt.Sprintf("%T", err)
}
