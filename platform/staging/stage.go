package staging

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// Stage is the temporary tables of one import, in its transaction.
type Stage struct {
	tx      pgx.Tx
	tables  []*Table
	ctx     context.Context // of the Copy that runs
	batches chan batch      // of the Copy that runs; nil means that rows are dropped
	free    chan []byte     // sent buffers, to be used again
}

type batch struct {
	table *Table
	rows  []byte
}

// New returns a stage without tables.
func New(tx pgx.Tx) *Stage {
	return &Stage{tx: tx, free: make(chan []byte, 8)}
}

// Tx returns the import's transaction, in which modules write.
func (s *Stage) Tx() pgx.Tx { return s.tx }

// Table adds a table: columns as in create table, without the line, which each table has first.
func (s *Stage) Table(name, columns string) *Table {
	t := newTable(s, name, columns)
	s.tables = append(s.tables, t)
	return t
}

// Create creates the tables.
func (s *Stage) Create(ctx context.Context) error {
	var sql strings.Builder
	for _, t := range s.tables {
		fmt.Fprintf(&sql, "/* staging.create */ create temporary table %s (line bigint not null, %s) on commit drop;\n",
			t.name, t.columns)
	}
	_, err := s.tx.Exec(ctx, sql.String())
	return err
}

// Truncate empties the tables that hold rows, for the next file.
func (s *Stage) Truncate(ctx context.Context) error {
	return s.each(ctx, "/* staging.truncate */ truncate ", func(t *Table) { t.rows = 0 })
}

// Analyze gives the planner the figures of the tables that hold rows: it cannot plan for a million rows blindly, and
// nothing else analyses a temporary table.
func (s *Stage) Analyze(ctx context.Context) error {
	return s.each(ctx, "/* staging.analyze */ analyze ", func(*Table) {})
}

func (s *Stage) each(ctx context.Context, sql string, then func(*Table)) error {
	for _, t := range s.tables {
		if t.rows == 0 {
			continue
		}
		if _, err := s.tx.Exec(ctx, sql+t.name); err != nil {
			return err
		}
		then(t)
	}
	return nil
}

// Copy runs fill, which appends rows, while another goroutine sends them. It returns the first error of the two; the
// context that fill gets ends when sending fails.
func (s *Stage) Copy(ctx context.Context, fill func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	batches := make(chan batch, 4)
	s.ctx, s.batches = ctx, batches
	group.Go(func() error {
		for b := range batches {
			if err := s.copy(ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
	group.Go(func() error {
		defer close(batches)
		err := fill(ctx)
		for _, t := range s.tables {
			t.flush()
		}
		return err
	})
	return group.Wait()
}

// Drop makes the stage drop the rows that come from now on: the file is known to be wrong and only read on for its errors.
func (s *Stage) Drop() { s.batches = nil }

func (s *Stage) copy(ctx context.Context, b batch) error {
	_, err := s.tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(b.rows),
		"/* staging.copy */ copy "+b.table.name+" from stdin (format binary)")
	if err != nil {
		return fmt.Errorf("copy to %s: %w", b.table.name, err)
	}
	s.release(b.rows)
	return nil
}

func (s *Stage) send(t *Table, rows []byte) {
	if s.batches == nil {
		s.release(rows)
		return
	}
	select {
	case s.batches <- batch{t, rows}:
	case <-s.ctx.Done(): // sending failed, or the import was stopped: Copy returns that
	}
}

func (s *Stage) buffer() []byte {
	select {
	case b := <-s.free:
		return b[:0]
	default:
		return make([]byte, 0, batchSize)
	}
}

// release keeps a buffer for reuse, but not one that a single long line has made large.
func (s *Stage) release(b []byte) {
	if cap(b) > 4*batchSize {
		return
	}
	select {
	case s.free <- b:
	default:
	}
}
