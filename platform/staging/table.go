package staging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// Kind is a kind of object: its name in errors, and the table that stores it.
type Kind struct{ Noun, Stored string }

// Staged returns the name of the kind's temporary table, such as import_forks.
func (k Kind) Staged() string { return "import_" + k.Stored }

// Table is a temporary table: the staged objects of one kind.
type Table struct {
	kind       Kind
	definition string   // as in create table, without the line
	columns    []string // the line first
	pending    [][]any
	rows       int64 // of the current file
	count      Count // of all files
}

// Count is what became of the objects of one type.
type Count struct {
	Type                       string
	Added, Replaced, Unchanged int64
}

// Rows counts the rows that were added for the current file.
func (t *Table) Rows() int64 { return t.rows }

// Add adds a row: the line that it comes from, then the values of the columns. The table keeps the
// values until Flush.
func (t *Table) Add(lineAndValues ...any) {
	for i, value := range lineAndValues {
		// pgx would encode it as text and parse that: five times the work
		if id, ok := value.(uuid.UUID); ok {
			lineAndValues[i] = pgtype.UUID{Bytes: id, Valid: true}
		}
	}
	t.pending = append(t.pending, lineAndValues)
	t.rows++
}

// Record counts what became of the table's rows.
func (t *Table) Record(added, replaced int64) {
	t.count.Added += added
	t.count.Replaced += replaced
	t.count.Unchanged += t.rows - added - replaced
}

// Changed returns how many objects of all files were added or replaced.
func (t *Table) Changed() int64 { return t.count.Added + t.count.Replaced }

// Write updates the stored objects that differ, inserts the missing ones, and records both. The
// update comes first, so that an object gives up a unique value before another takes it.
func (s *Stage) Write(ctx context.Context, t *Table, update, insert string) error {
	if t.rows == 0 {
		return nil
	}
	replaced, err := s.tx.Exec(ctx, update)
	if err != nil {
		return fmt.Errorf("update %s: %w", t.kind.Stored, err)
	}
	added, err := s.tx.Exec(ctx, insert)
	if err != nil {
		return fmt.Errorf("insert into %s: %w", t.kind.Stored, err)
	}
	t.Record(added.RowsAffected(), replaced.RowsAffected())
	return nil
}
