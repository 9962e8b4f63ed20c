package postgres

import (
	"fmt"
	"strconv"
	"strings"
)

// Position is an LSN of the primary and its timeline. It covers every commit that precedes its
// reading. The zero value is none: then only the primary can answer.
type Position struct {
	timeline uint32
	lsn      uint64
}

// positionSQL is null with synchronous_commit = off, where a commit becomes visible before its
// record is flushed.
const positionSQL = `case when not pg_is_in_recovery() and current_setting('synchronous_commit') <> 'off'
	then left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) || ' ' || pg_current_wal_flush_lsn() end`

// PositionSQL is the expression of a Position for a request's first statement. Without replicas it
// is null, which costs nothing.
func (db *DB) PositionSQL() string {
	if db == nil || !db.hasReplicas {
		return "null"
	}
	return positionSQL
}

// Scan implements sql.Scanner.
func (p *Position) Scan(value any) (err error) {
	*p = Position{}
	text, ok := value.(string)
	if value == nil || !ok {
		return nil
	}
	timeline, lsn, _ := strings.Cut(text, " ")
	number, err := strconv.ParseUint(timeline, 16, 32)
	if err != nil {
		return fmt.Errorf("postgres: position %q: %w", text, err)
	}
	p.timeline = uint32(number)
	p.lsn, err = parseLSN(lsn)
	return err
}

// parseLSN parses an LSN such as 16/B374D848.
func parseLSN(text string) (uint64, error) {
	high, low, _ := strings.Cut(text, "/")
	h, err := strconv.ParseUint(high, 16, 32)
	if err != nil {
		return 0, fmt.Errorf("postgres: position %q: %w", text, err)
	}
	l, err := strconv.ParseUint(low, 16, 32)
	if err != nil {
		return 0, fmt.Errorf("postgres: position %q: %w", text, err)
	}
	return h<<32 | l, nil
}

// walPage is the size of a WAL page. An LSN on a page boundary may fall inside a record; no replica
// reports it until the record is flushed, which takes PostgreSQL up to wal_writer_delay.
const walPage = 8192

func (p Position) amidRecord() bool { return p.lsn%walPage == 0 }
