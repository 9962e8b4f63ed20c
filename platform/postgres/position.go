package postgres

import "fmt"

// Position is the primary's LSN and timeline at one moment. A replica that has replayed up to it
// has every commit before that moment. For a zero Position only the primary can answer.
type Position struct {
	Timeline uint32
	LSN      uint64
}

// PositionExpression is the SQL of a Position: null on a standby, and with synchronous_commit =
// off, where a commit becomes visible before its record is flushed.
const PositionExpression = `case when not pg_is_in_recovery() and current_setting('synchronous_commit') <> 'off'
	then left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) || ' ' ||
	  (pg_current_wal_flush_lsn() - '0/0') end`

// PositionSQL returns PositionExpression, or the literal null without replicas.
func (db *DB) PositionSQL() string {
	if db == nil || !db.hasReplicas {
		return "null"
	}
	return PositionExpression
}

// Scan implements sql.Scanner. Malformed text is an error. A value that is not text, such as NULL,
// gives the zero Position.
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
