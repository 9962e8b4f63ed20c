package postgres

import (
	"fmt"
	"strconv"
	"strings"
)

// Position is how far the primary's history has come, and on which timeline. Whatever was committed before it was read is in it.
// The zero value is none: then only the primary can answer.
type Position struct {
	timeline uint32
	lsn      uint64
}

// positionSQL is null where the position does not hold every commit: a commit that is not flushed is seen before it is in it.
const positionSQL = `case when not pg_is_in_recovery() and current_setting('synchronous_commit') <> 'off'
	then left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) || ' ' || pg_current_wal_flush_lsn() end`

// PositionSQL is the expression of a Position for the statement that begins a request: null without replicas, which then costs
// nothing.
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

// parseLSN reads a place in the log, such as 16/B374D848.
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

// walPage is the size of a page of the log. A position at its edge is amid a record: nobody can replay that far before the rest
// is flushed, which takes PostgreSQL up to wal_writer_delay.
const walPage = 8192

func (p Position) amidRecord() bool { return p.lsn%walPage == 0 }
