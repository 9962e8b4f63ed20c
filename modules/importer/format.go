package importer

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
)

// format is a type of objects: how a line becomes a row of the temporary table import_{stored}, the
// rules of a file, and the statements that write what changed. Other than in the lists of columns,
// i is the staged row and o the stored one.
type format struct {
	name, stored string // the type, and the table that stores it
	staged       string // columns of the temporary table, as selected from the stored one
	key          string // columns that identify an object; "" is id
	keyField     string // "" is id
	fixed        string // a column that never changes, that of the first reference
	set          string // columns that an update writes; an insert writes key and fixed as well
	also         string // further assignments of the update

	references []reference
	unique     unique
	checks     []check

	before         string // is executed before update and insert
	update, insert string // "" are those of the columns
	write          string // replaces both, and returns how many rows it added and replaced
	entries        []entries

	// read returns the values of a line's row, or nil after errors.
	read func(d *decoder, name string, line []byte) []any

	pending [][]any // rows that wait for the next copy, each with its line first
	rows    int64   // of the current file
	count   Count   // of all files
}

// entries are those of the audit log of a type's changes.
type entries struct {
	action  audit.Action
	changes string // selects organisation and details
}

// analyzeFrom is the number of changed objects of a type from which an import updates the planner's
// statistics of their table, before autovacuum does.
const analyzeFrom = 10_000

// Count is what became of the objects of one type.
type Count struct {
	Type                       string
	Added, Replaced, Unchanged int64
}

// sql fills a template in.
func (f *format) sql(template string, further ...string) string {
	key := f.keys()
	insert := key + ", " + f.set
	if f.fixed != "" {
		insert = key + ", " + f.fixed + ", " + f.set
	}
	return strings.NewReplacer(append(further, "{name}", f.name, "{stored}", f.stored,
		"{staged}", f.staged, "{key}", key, "{same}", "("+of("o", key)+") = ("+of("i", key)+")",
		"{set}", f.set, "{o.set}", of("o", f.set), "{i.set}", of("i", f.set), "{also}", f.also,
		"{columns}", insert)...).Replace(template)
}

// keys returns the columns that identify an object.
func (f *format) keys() string { return cmp.Or(f.key, "id") }

// of returns a list of columns of a table.
func of(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}

func (f *format) create(ctx context.Context, tx pgx.Tx) error {
	return f.run(ctx, tx, `create temporary table import_{stored} on commit drop as
		select 0::bigint as line, {staged} from {stored} with no data`)
}

// copy sends the pending rows to the database.
func (f *format) copy(ctx context.Context, tx pgx.Tx) error {
	if len(f.pending) == 0 {
		return nil
	}
	columns := []string{"line"}
	for column := range strings.SplitSeq(f.staged, ", ") {
		columns = append(columns, column[strings.LastIndex(column, " ")+1:])
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"import_" + f.stored}, columns,
		pgx.CopyFromRows(f.pending))
	if err != nil {
		return fmt.Errorf("copy to import_%s: %w", f.stored, err)
	}
	f.discard()
	return nil
}

func (f *format) discard() {
	clear(f.pending)
	f.pending = f.pending[:0]
}

// The statements of most types. The update comes first, so that an object gives up a unique value
// before another takes it.
const (
	update = `
		update {stored} o set ({set}) = row ({i.set}){also} from import_{stored} i
		where {same} and ({o.set}) is distinct from ({i.set})`
	insert = `
		insert into {stored} ({columns})
		select {columns} from import_{stored} i
		where not exists (select from {stored} o where {same})`
)

// apply writes the staged objects that are new or differ, with entries of the changes.
func (f *format) apply(ctx context.Context, tx pgx.Tx, request audit.Request) error {
	added, replaced, err := f.store(ctx, tx)
	if err != nil {
		return fmt.Errorf("write %s: %w", f.stored, err)
	}
	for _, e := range f.entries {
		if err := audit.AppendChanges(ctx, tx, e.action, request, e.changes); err != nil {
			return err
		}
	}
	f.count.Added += added
	f.count.Replaced += replaced
	f.count.Unchanged += f.rows - added - replaced
	f.rows = 0
	if f.count.Added+f.count.Replaced >= analyzeFrom {
		if err := f.run(ctx, tx, "analyze {stored}"); err != nil {
			return err
		}
	}
	return f.run(ctx, tx, "truncate import_{stored}")
}

func (f *format) store(ctx context.Context, tx pgx.Tx) (added, replaced int64, err error) {
	if f.write != "" {
		err = tx.QueryRow(ctx, "/* importer."+f.stored+" */ "+f.write).Scan(&added, &replaced)
		return added, replaced, err
	}
	if f.before != "" {
		if err := f.run(ctx, tx, f.before); err != nil {
			return 0, 0, err
		}
	}
	for _, s := range []struct {
		sql  string
		rows *int64
	}{{cmp.Or(f.update, update), &replaced}, {cmp.Or(f.insert, insert), &added}} {
		done, err := tx.Exec(ctx, f.sql("/* importer.{stored} */ "+s.sql))
		if err != nil {
			return 0, 0, err
		}
		*s.rows = done.RowsAffected()
	}
	return added, replaced, nil
}

func (f *format) run(ctx context.Context, tx pgx.Tx, statement string) error {
	_, err := tx.Exec(ctx, f.sql("/* importer.{stored} */ "+statement))
	return err
}
