package importer

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
	"dg/modules/identity"
)

// format defines a type of objects. In SQL, i is the staged row.
type format struct {
	name, table string
	columns     string // columns that upsert.sql stores
	staged      string // select list of the temporary table; "": columns
	id, key     string // field and columns that identify an object; "": id

	checks    []check
	entries   map[audit.Action]string // queries for audit.AppendChanges; nil: no entries
	writeFile string                  // SQL file that returns added and replaced; "": upsert.sql

	read readFunc
}

// readFunc returns the values of a line's row without the line number, or the errors of the line.
type readFunc func(line []byte, keys identity.Keyring) ([]any, []string)

type batch struct {
	format
	pending [][]any // rows that wait for the next COPY; the first value is the line number
	rows    int64   // staged and pending rows of the current file
	count   Count   // objects of the files stored so far
}

// Count counts the added, replaced and unchanged objects of one type.
type Count struct {
	Type                       string
	Added, Replaced, Unchanged int64
}

// statements has the SQL files that format.writeFile names, and upsert.sql.
//
//go:embed *.sql
var statements embed.FS

// sql fills in the template. {same} joins the staged row i with the stored row o.
func (b *batch) sql(template string) string {
	key := cmp.Or(b.key, "id")
	return strings.NewReplacer("{table}", b.table, "{key}", key, "{id}", cmp.Or(b.id, "id"),
		"{staged}", cmp.Or(b.staged, b.columns),
		"{same}", "("+qualify("o", key)+") = ("+qualify("i", key)+")", "{i.key}", qualify("i", key),
		"{columns}", b.columns, "{o.columns}", qualify("o", b.columns),
		"{i.columns}", qualify("i", b.columns)).Replace(template)
}

// qualify prefixes each column of a list with the table: "id, name" becomes "o.id, o.name".
func qualify(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}

func (b *batch) copy(ctx context.Context, tx pgx.Tx) error {
	if len(b.pending) == 0 {
		return nil
	}
	columns := []string{"line"}
	for column := range strings.SplitSeq(cmp.Or(b.staged, b.columns), ", ") {
		columns = append(columns, column[strings.LastIndex(column, " ")+1:])
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"import_" + b.table}, columns,
		pgx.CopyFromRows(b.pending))
	if err != nil {
		return fmt.Errorf("copy to import_%s: %w", b.table, err)
	}
	b.pending = nil
	return nil
}

func (b *batch) apply(ctx context.Context, tx pgx.Tx, request audit.Request) error {
	for action, changes := range b.entries {
		if err := audit.AppendChanges(ctx, tx, action, request, changes); err != nil {
			return err
		}
	}
	var added, replaced int64
	write, err := statements.ReadFile(cmp.Or(b.writeFile, "upsert.sql"))
	if err != nil {
		return err
	}
	err = tx.QueryRow(ctx, b.sql("/* importer.{table} */ "+string(write))).Scan(&added, &replaced)
	if err != nil {
		return fmt.Errorf("write %s: %w", b.table, err)
	}
	b.count.Added += added
	b.count.Replaced += replaced
	b.count.Unchanged += b.rows - added - replaced
	b.rows = 0
	return b.exec(ctx, tx, "truncate import_{table}")
}

func (b *batch) exec(ctx context.Context, tx pgx.Tx, statement string) error {
	_, err := tx.Exec(ctx, b.sql("/* importer.{table} */ "+statement))
	return err
}
