package reports

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
	"dg/platform/format"
)

// Export returns every play of a query as CSV, from one snapshot. It holds a connection until
// Close. If Suppressed, the file has only the header row.
type Export struct {
	*snapshot
	PlaysReturned int64 // plays that AppendRows has returned so far

	dialect    format.Dialect
	headerSent bool
	rows       pgx.Rows // if nil after start, no row follows the header
	batch      [batchRows]exportRow
	unsent     []exportRow // rows of batch that are not returned yet
	cells      []string    // cells of each player, by ordinal; if nil, rows has them
	rowsRead   int         // rows read, including those of players outside the group
}

// exportRow is a play as an export shows it, valid until the next batch.
type exportRow struct {
	segment.Play
	id               [16]byte
	hasReleaseNumber bool
	releaseNumber    int32
	completedAt      int64  // in milliseconds since 1970
	playerCells      []byte // key and label
}

// batchRows is the number of rows that are parsed together, so that the processor fetches the cells
// of their players from memory in parallel.
const batchRows = 32

// OpenExport begins the snapshot of an export, and reads its Header but none of its rows. The caller
// authorises the read by Header.GroupOwner, and closes the export. OpenExport takes no report slot,
// because package exports limits exports. Errors: ErrGroupNotFound for an unknown group,
// apperr.NotFound for an unknown organisation.
func (s *Service) OpenExport(ctx context.Context, q Query, d format.Dialect) (*Export, error) {
	snap, err := openSnapshot(ctx, s.db, q, false)
	if err != nil {
		return nil, err
	}
	if err := s.addFingerprint(ctx, &snap); err != nil {
		snap.close()
		return nil, err
	}
	return &Export{snapshot: snap, dialect: d}, nil
}

// Close ends the snapshot and releases the connection. It may be called repeatedly and on nil.
func (e *Export) Close() {
	if e != nil {
		e.close()
	}
}

// AppendRows appends rows to an empty b until it has size bytes, the header row first. All calls
// must have the same ctx, whose end cancels the queries. Errors: io.EOF after the last row,
// ErrGroupNotFound for a group of another organisation.
func (e *Export) AppendRows(ctx context.Context, b []byte, size int) ([]byte, error) {
	if !e.headerSent {
		if err := e.start(ctx); err != nil {
			return b, fmt.Errorf("reports: export: %w", err)
		}
		e.headerSent = true
		b = e.dialect.AppendHeader(b, csvHeader)
	}
	for len(b) < size {
		if len(e.unsent) == 0 {
			if err := e.readBatch(ctx); err != nil {
				return b, fmt.Errorf("reports: export: %w", err)
			}
		}
		if len(e.unsent) == 0 {
			break
		}
		e.PlaysReturned++
		b = e.appendRow(b, &e.unsent[0])
		e.unsent = e.unsent[1:]
	}
	if len(b) == 0 {
		return b, io.EOF
	}
	return b, nil
}

// An export has plays in the order of the index plays_period: by start, then id.
const (
	exportSQL = `/* reports.export */ select ` + segment.PlayColumns +
		`, id, release_number, completed_at`
	exportOrderSQL = ` order by plays.started_at, plays.id`
	// These columns are subqueries, because a join could sort all plays before the first row.
	ownPlayerColumns = `, (select label from players where org_id = @org and ordinal = plays.player),
		case when @mode = 'nominative' then
		  (select display_name from players where org_id = @org and ordinal = plays.player) end`
)

// maxExportPlayers bounds the cached players, to about 12 MB if names have the usual length.
const maxExportPlayers = 200_000

// The timeouts exceed the 30 minutes of an export, because a slow client leaves the transaction
// idle. A generic plan without bitmap scans is forced: other plans might sort all plays before the
// first row.
const exportSettingsSQL = `/* reports.exportSettings */
	select set_config('statement_timeout', '31min', true),
	set_config('idle_in_transaction_session_timeout', '31min', true),
	set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_bitmapscan', 'off', true)`

// firstRows is the number of rows sent before all players are read, so that the file begins early.
const firstRows = 500

// start opens the rows of plays. It reads members first, because open rows occupy the connection.
func (e *Export) start(ctx context.Context) (err error) {
	if err := e.CheckGroup(e.query.OrganisationID); err != nil || e.Suppressed {
		return err
	}
	if _, err := e.conn.Exec(ctx, exportSettingsSQL); err != nil {
		return err
	}
	if e.largeGroup {
		if err := e.readMembers(ctx); err != nil {
			return err
		}
	}
	sql := exportSQL + ownPlayerColumns + e.exportFromSQL() + exportOrderSQL
	if e.cachesPlayers() {
		sql += ` limit @firstRows`
	}
	e.rows = e.queryRows(ctx, sql, e.exportArgs())
	return e.rows.Err()
}

// startRest reads all players, and opens the rows after firstRows.
func (e *Export) startRest(ctx context.Context) (err error) {
	l, err := e.selectLabels(ctx, exportPlayersSQL, e.exportArgs(),
		func(b []byte, v [][]byte) []byte { return appendPlayer(b, e.dialect, v[1], v[2]) })
	if err != nil {
		return err
	}
	e.cells = make([]string, e.lastOrdinal+1)
	for i, ordinal := range l.ordinals {
		e.cells[max(ordinal, ^ordinal)] = l.label(int32(i))
	}
	sql := exportSQL + e.exportFromSQL() + exportOrderSQL + ` offset @firstRows`
	e.rows = e.queryRows(ctx, sql, e.exportArgs())
	return e.rows.Err()
}

func (e *Export) exportArgs() pgx.NamedArgs {
	return pgx.NamedArgs{"mode": string(e.ReportingMode), "firstRows": firstRows}
}

func (s *snapshot) exportFromSQL() string {
	if s.hasGroup() && !s.largeGroup {
		return playsOfMembersSQL
	}
	return ` from plays where org_id = @org and fork_id = @fork and started_at >= @from
		and started_at < @to`
}

// cachesPlayers reports whether the export reads all players once: where that is faster than a
// look-up for each row, and maxExportPlayers permits it.
func (e *Export) cachesPlayers() bool {
	if e.lastOrdinal > maxExportPlayers || e.hasGroup() && !e.largeGroup {
		return false
	}
	return e.isLarge || e.lastOrdinal <= maxSmallReport
}

// readBatch reads the next rows into unsent. After the last row, unsent is empty.
func (e *Export) readBatch(ctx context.Context) error {
	n := 0
	for ; n < batchRows; n++ {
		more, err := e.next(ctx, &e.batch[n])
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	e.unsent = e.batch[:n]
	for i := range e.unsent {
		r := &e.unsent[i]
		if int(r.Player) < len(e.cells) && e.cells[r.Player] != "" {
			r.playerCells = append(r.playerCells[:0], e.cells[r.Player]...)
		}
	}
	return nil
}

func (e *Export) next(ctx context.Context, row *exportRow) (bool, error) {
	for e.rows != nil {
		for e.rows.Next() {
			e.rowsRead++
			if e.parse(row); !e.largeGroup || e.members.has(row.Player) {
				return true, nil
			}
		}
		err := e.rows.Err()
		if err != nil || e.cells != nil || e.rowsRead != firstRows || !e.cachesPlayers() {
			return false, err
		}
		if err := e.startRest(ctx); err != nil {
			return false, err
		}
	}
	return false, nil
}

const exportPlayersSQL = `/* reports.players */
select ordinal::int, label, coalesce(case when @mode = 'nominative' then display_name end, label)
  from players where org_id = @org`

func (e *Export) parse(row *exportRow) {
	values := e.rows.RawValues()
	answers := row.Answers[:0]
	row.Scan(values)
	row.Answers = append(answers, row.Answers...)
	values = values[5:]
	row.id = [16]byte(values[0])
	if row.hasReleaseNumber = values[1] != nil; row.hasReleaseNumber {
		row.releaseNumber = int32(binary.BigEndian.Uint32(values[1]))
	}
	if row.Completed {
		row.completedAt = segment.Milliseconds(values[2])
	}
	var key, label []byte
	if e.cells == nil {
		key = values[3]
		label = values[3]
		if values[4] != nil {
			label = values[4]
		}
	}
	row.playerCells = appendPlayer(row.playerCells[:0], e.dialect, key, label)
}
