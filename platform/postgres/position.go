package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Position is an LSN of the primary and its timeline. It covers every commit that precedes its
// reading. The zero value is none: then only the primary can answer.
type Position struct {
	Timeline uint32
	LSN      uint64
}

// Replicas give out connections to replicas of the primary.
type Replicas interface {
	// Acquire returns a connection to a replica that has replayed the position, or nil if the
	// primary must answer. A later snapshot on it sees every commit before the position.
	Acquire(ctx context.Context, at Position) *pgxpool.Conn
}

// ReadFrom makes replicas take the reads of the pool. Statements of requests, which begin a
// request, return a Position from then on.
func (db *DB) ReadFrom(replicas Replicas, requests *DB) {
	db.replicas = replicas
	requests.hasReplicas = true
}

// AcquireReplica is Replicas.Acquire, or nil without replicas or a position.
func (db *DB) AcquireReplica(ctx context.Context, at Position) *pgxpool.Conn {
	if db.replicas == nil || at == (Position{}) {
		return nil
	}
	return db.replicas.Acquire(ctx, at)
}

// PositionExpression is a Position in SQL. It is null with synchronous_commit = off, where a commit
// becomes visible before its record is flushed.
const PositionExpression = `case when not pg_is_in_recovery() and current_setting('synchronous_commit') <> 'off'
	then left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) || ' ' ||
	  (pg_current_wal_flush_lsn() - '0/0') end`

// PositionSQL is the expression of a Position for a request's first statement. Without replicas it
// is null, which costs nothing.
func (db *DB) PositionSQL() string {
	if db == nil || !db.hasReplicas {
		return "null"
	}
	return PositionExpression
}

// Scan implements sql.Scanner.
func (p *Position) Scan(value any) error {
	*p = Position{}
	text, ok := value.(string)
	if !ok {
		return nil
	}
	if _, err := fmt.Sscanf(text, "%x %d", &p.Timeline, &p.LSN); err != nil {
		return fmt.Errorf("postgres: position %q: %w", text, err)
	}
	return nil
}
