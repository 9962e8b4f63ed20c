package reports

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
	"dg/modules/reports/snapshot"
)

// exportRows reads the plays of an export.
type exportRows struct {
	ctx     context.Context
	rows    pgx.Rows
	batch   pgx.BatchResults // of the rows; may be nil
	members *snapshot.Members
	read    int  // rows, skipped ones included
	unread  bool // next returns the row once more
	row     exportRow
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

// next reads the report's next row. It returns false at the end.
func (r *exportRows) next() (bool, error) {
	if r.unread {
		r.unread = false
		return true, nil
	}
	for r.rows.Next() {
		r.read++
		if r.parse(); r.members.Has(r.row.Player) {
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

// parse decodes the current row.
func (r *exportRows) parse() {
	v := r.rows.RawValues()
	row := &r.row
	copy(row.id[:], v[0])
	if row.released = v[1] != nil; row.released {
		row.release = int32(binary.BigEndian.Uint32(v[1]))
	}
	row.Player = int32(binary.BigEndian.Uint32(v[2]))
	row.StartedAt = snapshot.Milliseconds(v[3])
	if row.Completed = v[4] != nil; row.Completed {
		row.completedAt = snapshot.Milliseconds(v[4])
	}
	row.Score = snapshot.Score(v[5])
	row.Passed = snapshot.IsTrue(v[6])
	row.Answers = v[7]
	if len(v) > 8 {
		row.key = v[8]
		row.label = v[len(v)-1]
	}
}
