package staging

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// batchSize is how many bytes of rows are sent at once.
const batchSize = 256 << 10

// copyHeader opens a binary COPY: signature, no flags, no extension.
const copyHeader = "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// copyTrailer closes it.
const copyTrailer = "\xff\xff"

// postgresEpoch is 2000-01-01 in microseconds since 1970: timestamps are counted from there.
const postgresEpoch = 946684800 * 1e6

// Table is a temporary table: the staged objects of one kind.
type Table struct {
	name    string
	columns string // as in create table, after the line
	width   int    // how many columns, the line included
	stage   *Stage
	buf     []byte
	open    int // columns of the current row that are still to come
	rows    int64
}

// Name returns the table's name, for SQL.
func (t *Table) Name() string { return t.name }

// Rows returns how many rows were staged since the last Truncate.
func (t *Table) Rows() int64 { return t.rows }

func newTable(stage *Stage, name, columns string) *Table {
	return &Table{name: name, columns: columns, width: strings.Count(columns, ",") + 2, stage: stage}
}

// Row begins a row. Its columns follow in the table's order, each by one call, and then Done.
func (t *Table) Row(line int64) *Table {
	if len(t.buf) == 0 {
		t.buf = append(t.stage.buffer(), copyHeader...)
	}
	t.buf = binary.BigEndian.AppendUint16(t.buf, uint16(t.width))
	t.open = t.width
	return t.Int8(line)
}

// Done ends a row.
func (t *Table) Done() {
	if t.open != 0 {
		panic(fmt.Sprintf("staging: a row of %s has %d columns too few", t.name, t.open))
	}
	t.rows++
	if len(t.buf) >= batchSize-4096 {
		t.flush()
	}
}

func (t *Table) flush() {
	if len(t.buf) == 0 {
		return
	}
	t.stage.send(t, append(t.buf, copyTrailer...))
	t.buf = nil
}

func (t *Table) field(length int) {
	t.open--
	t.buf = binary.BigEndian.AppendUint32(t.buf, uint32(length))
}

// Null appends a null.
func (t *Table) Null() *Table {
	t.open--
	t.buf = append(t.buf, 0xff, 0xff, 0xff, 0xff)
	return t
}

// Int8 appends a bigint.
func (t *Table) Int8(v int64) *Table {
	t.field(8)
	t.buf = binary.BigEndian.AppendUint64(t.buf, uint64(v))
	return t
}

// Int4 appends an integer.
func (t *Table) Int4(v int32) *Table {
	t.field(4)
	t.buf = binary.BigEndian.AppendUint32(t.buf, uint32(v))
	return t
}

// OptionalInt4 appends an integer or null.
func (t *Table) OptionalInt4(v *int32) *Table {
	if v == nil {
		return t.Null()
	}
	return t.Int4(*v)
}

// Int2 appends a smallint.
func (t *Table) Int2(v int16) *Table {
	t.field(2)
	t.buf = binary.BigEndian.AppendUint16(t.buf, uint16(v))
	return t
}

// Bool appends a boolean.
func (t *Table) Bool(v bool) *Table {
	t.field(1)
	if v {
		t.buf = append(t.buf, 1)
	} else {
		t.buf = append(t.buf, 0)
	}
	return t
}

// UUID appends a uuid.
func (t *Table) UUID(v uuid.UUID) *Table {
	t.field(len(v))
	t.buf = append(t.buf, v[:]...)
	return t
}

// Text appends a text.
func (t *Table) Text(v string) *Table {
	t.field(len(v))
	t.buf = append(t.buf, v...)
	return t
}

// OptionalText appends a text or null.
func (t *Table) OptionalText(v *string) *Table {
	if v == nil {
		return t.Null()
	}
	return t.Text(*v)
}

// Bytes appends a bytea.
func (t *Table) Bytes(v []byte) *Table {
	t.field(len(v))
	t.buf = append(t.buf, v...)
	return t
}

// OptionalJSON appends a jsonb, given as JSON text, or null where it is nil.
func (t *Table) OptionalJSON(v []byte) *Table {
	if v == nil {
		return t.Null()
	}
	t.field(len(v) + 1)
	t.buf = append(t.buf, 1) // the version of the binary form
	t.buf = append(t.buf, v...)
	return t
}

// Time appends a timestamptz.
func (t *Table) Time(v time.Time) *Table { return t.Int8(v.UnixMicro() - postgresEpoch) }
