package importer

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
)

// format is a type of objects: how a line becomes a row of the temporary table import_{table}, the
// rules of a file, and the statement that stores what changed. In SQL, i is the staged row and o
// the stored one.
type format struct {
	name, table string
	columns     string // that an import stores
	staged      string // columns of the temporary table; "" are those of columns
	key         string // columns that identify an object; "" is id

	checks  []check
	before  string                  // is executed before entries and write
	entries map[audit.Action]string // of the audit log: queries of organisation and details
	also    string                  // further assignments of upsert
	write   string                  // returns how many rows it added and replaced; "" is upsert

	// read returns the values of a line's row, or the errors of the line.
	read func(line []byte) ([]any, []string)

	pending [][]any // rows that wait for the next copy, each with its line first
	rows    int64   // of the current file
	count   Count   // of all files
}

// Count is what became of the objects of one type.
type Count struct {
	Type                       string
	Added, Replaced, Unchanged int64
}

// upsert stores most types. It writes only rows that differ. The unique constraints are deferred to
// the end of the statement, so that two objects may swap values.
const upsert = `
	with replaced as (
		update {table} o set ({columns}) = row ({i.columns}){also} from import_{table} i
		where {same} and ({o.columns}) is distinct from ({i.columns})
		returning 1
	), added as (
		insert into {table} ({columns})
		select {columns} from import_{table} i
		where not exists (select from {table} o where {same})
		returning 1
	)
	select (select count(*) from added), (select count(*) from replaced)`

// sql fills in a template.
func (f *format) sql(template string) string {
	key := cmp.Or(f.key, "id")
	return strings.NewReplacer("{table}", f.table, "{key}", key,
		"{staged}", cmp.Or(f.staged, f.columns),
		"{same}", "("+qualify("o", key)+") = ("+qualify("i", key)+")",
		"{columns}", f.columns, "{o.columns}", qualify("o", f.columns),
		"{i.columns}", qualify("i", f.columns), "{also}", f.also).Replace(template)
}

// qualify prefixes each column of a list with the table.
func qualify(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}

// create creates the temporary table of the type.
func (f *format) create(ctx context.Context, tx pgx.Tx) error {
	return f.run(ctx, tx, `create temporary table import_{table} on commit drop as
		select 0::bigint as line, {staged} from {table} with no data`)
}

// copy sends the pending rows to the database.
func (f *format) copy(ctx context.Context, tx pgx.Tx) error {
	if len(f.pending) == 0 {
		return nil
	}
	columns := []string{"line"}
	for column := range strings.SplitSeq(cmp.Or(f.staged, f.columns), ", ") {
		columns = append(columns, column[strings.LastIndex(column, " ")+1:])
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"import_" + f.table}, columns,
		pgx.CopyFromRows(f.pending))
	if err != nil {
		return fmt.Errorf("copy to import_%s: %w", f.table, err)
	}
	clear(f.pending)
	f.pending = f.pending[:0]
	return nil
}

// apply writes the staged objects that are new or differ, with entries of the changes.
func (f *format) apply(ctx context.Context, tx pgx.Tx, request audit.Request) error {
	if err := f.run(ctx, tx, f.before); err != nil {
		return err
	}
	for action, changes := range f.entries {
		if err := audit.AppendChanges(ctx, tx, action, request, changes); err != nil {
			return err
		}
	}
	var added, replaced int64
	write := f.sql("/* importer.{table} */ " + cmp.Or(f.write, upsert))
	if err := tx.QueryRow(ctx, write).Scan(&added, &replaced); err != nil {
		return fmt.Errorf("write %s: %w", f.table, err)
	}
	f.count.Type = f.name
	f.count.Added += added
	f.count.Replaced += replaced
	f.count.Unchanged += f.rows - added - replaced
	f.rows = 0
	return f.run(ctx, tx, "truncate import_{table}")
}

func (f *format) run(ctx context.Context, tx pgx.Tx, statement string) error {
	_, err := tx.Exec(ctx, f.sql("/* importer.{table} */ "+statement))
	return err
}
