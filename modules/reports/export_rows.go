package reports

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/org"
	"dg/modules/reports/segment"
)

// The plays of an export are ordered by start, then id: the order of the index plays_period.
const (
	exportSQL   = `/* reports.export */ select id, release_number, player, started_at, completed_at, score, passed, answers`
	exportOrder = ` order by started_at, id`
)

// playerOfRow looks up each row's player: the pseudonym, and under nominative reporting the name. A join would sort the whole
// period before the first row.
var playerOfRow = map[org.ReportingMode]string{
	org.Pseudonymous: keyOfRow,
	org.Nominative:   keyOfRow + `, (select display_name from players where org_id = $1 and ordinal = plays.player)`,
}

const keyOfRow = `, (select label from players where org_id = $1 and ordinal = plays.player)`

// exportRows reads the plays of an export.
type exportRows struct {
	ctx      context.Context
	rows     pgx.Rows
	batch    pgx.BatchResults // that the rows are of; may be nil
	isMember func(player int32) bool
	read     int // rows, those that were skipped included
	row      exportRow
}

// exportRow is a play as an export shows it. The next row overwrites it.
type exportRow struct {
	segment.Play
	id          [16]byte
	released    bool
	release     int32
	completedAt int64  // milliseconds since 1970
	key, label  []byte // nil unless they were asked for
}

// liftBoundsSQL raises the transaction's limits above the 30 minutes that an export may take: between its rows it waits for its
// reader, which has a bound of its own.
const liftBoundsSQL = `/* reports.exportBounds */ select set_config('statement_timeout', '31min', true),
	set_config('idle_in_transaction_session_timeout', '31min', true)`

// firstRows returns the first plays of the period with their players, in one round trip with the
// bounds. They are made of at most limit rows.
func (s *snapshot) firstRows(ctx context.Context, limit int) (*exportRows, error) {
	if err := s.readMembers(ctx); err != nil {
		return nil, err
	}
	batch := &pgx.Batch{}
	batch.Queue(liftBoundsSQL)
	sql, args := s.exportSQL(s.query.Period.From, true)
	batch.Queue(sql+exportOrder+` limit `+strconv.Itoa(limit), args...)
	results := s.conn.SendBatch(ctx, batch)
	_, err := results.Exec()
	if err != nil {
		_ = results.Close()
		return nil, fmt.Errorf("reports: bounds of an export: %w", err)
	}
	rows, _ := results.Query() // its error is the rows'
	return &exportRows{ctx: ctx, rows: rows, batch: results, isMember: s.isMember}, nil
}

// rowsAfter returns all plays after the last one of r.
func (s *snapshot) rowsAfter(ctx context.Context, r *exportRows, withPlayers bool) (*exportRows, error) {
	from := time.UnixMilli(r.row.StartedAt).UTC()
	after := ` and (started_at, id) > ('` + from.Format(time.RFC3339Nano) + `', '` + string(csvUUID(nil, r.row.id[:])) + `')`
	sql, args := s.exportSQL(from, withPlayers)
	args = append([]any{pgx.QueryExecModeCacheDescribe}, args...) // its text is its own: it is not prepared under a name
	rows, err := s.conn.Query(ctx, sql+after+exportOrder, args...)
	if err != nil {
		return nil, fmt.Errorf("reports: export: %w", err)
	}
	return &exportRows{ctx: ctx, rows: rows, isMember: s.isMember}, nil
}

// exportSQL reads plays raw, in PostgreSQL's binary format, which pgx asks for with these types.
func (s *snapshot) exportSQL(from time.Time, withPlayers bool) (sql string, args []any) {
	selectSQL := exportSQL
	if withPlayers {
		selectSQL += playerOfRow[s.meta.mode]
	}
	return s.playsSQL(selectSQL, from, s.query.Period.End())
}

// next reads the report's next row. It returns false at the end.
func (r *exportRows) next() (bool, error) {
	for r.rows.Next() {
		r.read++
		if r.parse(); r.isMember(r.row.Player) {
			return true, nil
		}
	}
	err := r.rows.Err()
	if r.batch != nil {
		err = cmp.Or(err, r.batch.Close())
	}
	if err == nil {
		return false, nil
	}
	if cause := context.Cause(r.ctx); cause != nil {
		err = cause
	}
	return false, fmt.Errorf("reports: export: %w", err)
}

// parse takes the row that was read.
func (r *exportRows) parse() {
	v, row := r.rows.RawValues(), &r.row
	copy(row.id[:], v[0])
	if row.released = v[1] != nil; row.released {
		row.release = int32(binary.BigEndian.Uint32(v[1]))
	}
	row.Player = int32(binary.BigEndian.Uint32(v[2]))
	row.StartedAt = milliseconds(v[3])
	if row.Completed = v[4] != nil; row.Completed {
		row.completedAt = milliseconds(v[4])
	}
	row.Score, row.Passed, row.Answers = score(v[5]), isTrue(v[6]), v[7]
	if len(v) > 8 {
		row.key, row.label = v[8], v[len(v)-1]
	}
}
