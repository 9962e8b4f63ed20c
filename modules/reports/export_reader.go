package reports

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/org"
	"dg/modules/reports/snapshot"
)

// The plays of an export are ordered by start, then id: the order of the index plays_period.
const (
	exportSQL = `/* reports.export */ select id, release_number, player, started_at, completed_at,
		score, passed, answers`
	exportOrder = ` order by started_at, id`
)

// playerOfRow looks up the pseudonym of each row's player, and under nominative reporting the name. A
// join would sort the period before the first row.
var playerOfRow = map[org.ReportingMode]string{
	org.Pseudonymous: keyOfRow,
	org.Nominative: keyOfRow +
		`, (select display_name from players where org_id = $1 and ordinal = plays.player)`,
}

const keyOfRow = `, (select label from players where org_id = $1 and ordinal = plays.player)`

// liftBoundsSQL raises the transaction's limits above the 30 minutes of an export, which waits for its
// reader between rows.
const liftBoundsSQL = `/* reports.exportBounds */ select set_config('statement_timeout', '31min', true),
	set_config('idle_in_transaction_session_timeout', '31min', true)`

// exportReader reads the plays of an export and their players.
type exportReader struct {
	snap    *snapshot.Snapshot
	members *snapshot.Members
	plays   snapshot.PlaysReader
	players labelReader
}

func newExportReader(s *snapshot.Snapshot) *exportReader {
	m := snapshot.NewMembers(s)
	return &exportReader{
		snap:    s,
		members: m,
		plays:   snapshot.NewPlaysReader(s, m),
		players: labelReader{snap: s},
	}
}

// first returns the plays of the first rows, at most limit, with their players, in one round trip
// with the bounds.
func (r *exportReader) first(ctx context.Context, limit int) (*exportRows, error) {
	if err := r.members.Read(ctx); err != nil {
		return nil, err
	}
	batch := &pgx.Batch{}
	batch.Queue(liftBoundsSQL)
	sql, args := r.sql(r.snap.Query.Period.From, true)
	batch.Queue(sql+exportOrder+` limit `+strconv.Itoa(limit), args...)
	results := r.snap.Conn.SendBatch(ctx, batch)
	_, err := results.Exec()
	if err != nil {
		_ = results.Close()
		return nil, fmt.Errorf("reports: bounds of an export: %w", err)
	}
	rows, _ := results.Query() // its error is the rows'
	return &exportRows{ctx: ctx, rows: rows, batch: results, members: r.members}, nil
}

// after returns all plays after the last one that was read.
func (r *exportReader) after(
	ctx context.Context, last *exportRow, withPlayers bool,
) (*exportRows, error) {
	from := time.UnixMilli(last.StartedAt).UTC()
	after := ` and (started_at, id) > ('` + from.Format(time.RFC3339Nano) + `', '` +
		string(csvUUID(nil, last.id[:])) + `')`
	sql, args := r.sql(from, withPlayers)
	// the text varies, so it is not prepared by name
	args = append([]any{pgx.QueryExecModeCacheDescribe}, args...)
	rows, err := r.snap.Conn.Query(ctx, sql+after+exportOrder, args...)
	if err != nil {
		return nil, fmt.Errorf("reports: export: %w", err)
	}
	return &exportRows{ctx: ctx, rows: rows, members: r.members}, nil
}

// sql returns the statement for the plays from an instant on. pgx asks for its column types in the
// binary format.
func (r *exportReader) sql(from time.Time, withPlayers bool) (sql string, args []any) {
	selectSQL := exportSQL
	if withPlayers {
		selectSQL += playerOfRow[r.snap.Meta.Mode]
	}
	return r.plays.SQL(selectSQL, from, r.snap.Query.Period.End())
}

// readPlayers returns the cells of the report's possible players, or nil if they take more than
// maxExportPlayers.
func (r *exportReader) readPlayers(ctx context.Context, f Format) (*labels, error) {
	l := &labels{room: maxExportPlayers}
	batch := &pgx.Batch{}
	var cells []byte
	r.players.queuePlayers(batch, playerSQL).Query(l.read(func(v [][]byte) []byte {
		cells = f.appendPlayer(cells[:0], v[2], v[1])
		return cells
	}))
	err := r.snap.Send(ctx, batch)
	if errors.Is(err, errTooManyLabels) {
		return nil, nil
	}
	return l, err
}
