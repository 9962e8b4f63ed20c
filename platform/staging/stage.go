package staging

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Stage is the temporary tables of one import, in its transaction.
type Stage struct {
	tx      pgx.Tx
	tables  []*Table
	discard bool
}

// New returns a stage without tables.
func New(tx pgx.Tx) *Stage { return &Stage{tx: tx} }

// Tx returns the import's transaction, in which modules write.
func (s *Stage) Tx() pgx.Tx { return s.tx }

// Table declares the temporary table of a kind; columns are as in create table, without the line,
// which comes first.
func (s *Stage) Table(kind Kind, columns string) *Table {
	t := &Table{
		kind:       kind,
		definition: columns,
		columns:    []string{"line"},
		count:      Count{Type: kind.Noun},
	}
	for column := range strings.SplitSeq(columns, ",") {
		t.columns = append(t.columns, strings.Fields(column)[0])
	}
	s.tables = append(s.tables, t)
	return t
}

// Create creates the tables.
func (s *Stage) Create(ctx context.Context) error {
	var sql strings.Builder
	for _, t := range s.tables {
		fmt.Fprintf(&sql,
			"/* staging.create */ create temporary table %s (line bigint not null, %s) on commit drop;\n",
			t.kind.Staged(), t.definition)
	}
	_, err := s.tx.Exec(ctx, sql.String())
	return err
}

// Flush sends the rows added since the last Flush to the database.
func (s *Stage) Flush(ctx context.Context) error {
	for _, t := range s.tables {
		if len(t.pending) == 0 {
			continue
		}
		if !s.discard {
			if _, err := s.tx.CopyFrom(ctx, pgx.Identifier{t.kind.Staged()}, t.columns,
				pgx.CopyFromRows(t.pending)); err != nil {
				return fmt.Errorf("copy to %s: %w", t.kind.Staged(), err)
			}
		}
		clear(t.pending)
		t.pending = t.pending[:0]
	}
	return nil
}

// Discard makes Flush drop rows from now on: the file is invalid and only read on for further
// errors.
func (s *Stage) Discard() { s.discard = true }

// Truncate empties the tables that hold rows, for the next file.
func (s *Stage) Truncate(ctx context.Context) error {
	if err := s.each(ctx, "truncate"); err != nil {
		return err
	}
	for _, t := range s.tables {
		t.rows = 0
	}
	return nil
}

// Analyze updates the planner's statistics of the tables that hold rows: autovacuum never analyses
// a temporary table.
func (s *Stage) Analyze(ctx context.Context) error { return s.each(ctx, "analyze") }

func (s *Stage) each(ctx context.Context, command string) error {
	for _, t := range s.tables {
		if t.rows == 0 {
			continue
		}
		if _, err := s.tx.Exec(ctx,
			fmt.Sprintf("/* staging.%[1]s */ %[1]s %[2]s", command, t.kind.Staged())); err != nil {
			return err
		}
	}
	return nil
}

// Counts returns what became of the objects of all files, by kind, in the order in which the tables
// were declared.
func (s *Stage) Counts() []Count {
	counts := make([]Count, len(s.tables))
	for i, t := range s.tables {
		counts[i] = t.count
	}
	return counts
}
