package postgres

import "fmt"

// Position is the primary's insert LSN and timeline at one moment. A replica that has replayed up to
// it has every commit before that moment. For a zero Position only the primary can answer.
type Position struct {
	Timeline uint32
	LSN      uint64
}

const (
	// PositionExpression is the SQL of a Position: null on a standby. It is not the flushed LSN: a
	// commit of a session with synchronous_commit = off is visible before its record is flushed. At
	// the end of a WAL page, the insert LSN is after the header of the next page. Replay reaches it
	// only with the next record, at the latest with the record that Replica.flush writes.
	PositionExpression = positionPrefix + `pg_current_wal_insert_lsn()` + positionSuffix
	// flushedExpression is the highest LSN that a replica can have received. A check of a replica that
	// is up to date needs no Replica.flush.
	flushedExpression = positionPrefix + `pg_current_wal_flush_lsn()` + positionSuffix
	positionPrefix    = `(case when not pg_is_in_recovery() then
	(select left(pg_walfile_name(lsn), 8) || ' ' || (lsn - '0/0') from `
	positionSuffix = ` lsn) end)`
)

// HasReplicas reports whether replicas answer reads of another pool, which need a Position.
func (db *DB) HasReplicas() bool { return db.hasReplicas }

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
