package postgres

import "fmt"

// Position is an LSN of the primary and its timeline. It covers every commit that precedes its
// reading. The zero value is none: then only the primary can answer.
type Position struct {
	Timeline uint32
	LSN      uint64
}

// PositionExpression is a Position in SQL. It is null with synchronous_commit = off, where a commit
// becomes visible before its record is flushed.
const PositionExpression = `case when not pg_is_in_recovery() and current_setting('synchronous_commit') <> 'off'
	then left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) || ' ' ||
	  (pg_current_wal_flush_lsn() - '0/0') end`

// PositionSQL returns the expression of a Position for a request's first statement. Without
// replicas it is null, which costs nothing.
func (db *DB) PositionSQL() string {
	if db == nil || !db.hasReplicas {
		return "null"
	}
	return PositionExpression
}

// Scan implements sql.Scanner. Null gives the zero value.
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
