package importer

import (
	"cmp"
	"context"
	"embed"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// format defines a type of objects.
type format struct {
	name, table   string
	columns       string // of the table, separated by ", "
	stagedColumns string // select list that creates the temporary table; columns if empty
	id, key       string // JSON field and SQL columns that identify an object; "id" if empty

	checks   []check
	fileSQL  string // name of the SQL file that runs after each file
	finalSQL string // name of the SQL file that runs at the end of the import

	read readFunc
}

// readFunc returns the staged row of a line, without the line number, or the errors of the line.
type readFunc func(line []byte, keyring identity.Keyring) ([]any, []string)

// batch imports the objects of one type.
type batch struct {
	format
	pending [][]any     // rows for the next COPY; the first value is the line number
	count   ObjectCount // Unchanged counts all objects until write subtracts those that it wrote
}

// ObjectCount counts the added, replaced and unchanged objects of one type.
type ObjectCount struct {
	ObjectType                 string
	Added, Replaced, Unchanged int64
	LostPasswords              int64 // users whose stored password the import removes
}

//go:embed *.sql
var sqlFiles embed.FS

// renderSQL fills in a template. {same} joins a staged row i with a stored row o. {end} is the
// table after the changes that finalSQL will store.
func (b *batch) renderSQL(template string) string {
	key := cmp.Or(b.key, "id")
	keys := strings.Split(key, ", ")
	values := strings.Join(slices.DeleteFunc(strings.Split(b.columns, ", "),
		func(column string) bool { return slices.Contains(keys, column) }), ", ")
	ordered := ""
	if strings.Contains(b.columns, "org_id") { // the trigger of forks then runs once for each
		ordered = "order by org_id"
	}
	return strings.NewReplacer("{table}", b.table, "{ordered}", ordered, "{key}", key, "{id}", cmp.Or(b.id, "id"),
		"{staged}", cmp.Or(b.stagedColumns, b.columns),
		"{same}", "("+qualify("o", key)+") = ("+qualify("i", key)+")", "{i.key}", qualify("i", key),
		"{columns}", b.columns,
		"{values}", values, "{o.values}", qualify("o", values), "{i.values}", qualify("i", values),
		"{end}", "(select "+b.columns+" from last_"+b.table+" union all select "+b.columns+" from "+
			b.table+" s where not exists (select from last_"+b.table+" l where l.id = s.id))",
	).Replace(template)
}

// qualify prefixes each column of a list with the table: "id, name" becomes "o.id, o.name".
func qualify(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}

func (b *batch) copyRows(ctx context.Context, tx pgx.Tx) error {
	if len(b.pending) == 0 {
		return nil
	}
	columns := []string{"line"}
	for column := range strings.SplitSeq(cmp.Or(b.stagedColumns, b.columns), ", ") {
		columns = append(columns, column[strings.LastIndex(column, " ")+1:])
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"import_" + b.table}, columns,
		pgx.CopyFromRows(b.pending))
	b.pending = nil
	return apperr.Annotate(err, "copy to import_"+b.table)
}

// apply runs fileSQL on the staged rows, and moves them to last_{table} if there is a finalSQL.
func (b *batch) apply(ctx context.Context, tx pgx.Tx) error {
	if err := b.write(ctx, tx, b.fileSQL, "import_"+b.table); err != nil {
		return err
	}
	if b.finalSQL == "" {
		return b.exec(ctx, tx, "truncate import_{table}")
	}
	return b.exec(ctx, tx, `delete from last_{table} o using import_{table} i where {same};
		insert into last_{table} select * from import_{table};
		truncate import_{table}`)
}

func (b *batch) write(ctx context.Context, tx pgx.Tx, sqlFile, source string) error {
	if sqlFile == "" {
		return nil
	}
	sql, err := sqlFiles.ReadFile(sqlFile)
	if err != nil {
		return err
	}
	var added, replaced int64
	err = tx.QueryRow(ctx, b.renderSQL(strings.ReplaceAll("/* importer.{table} */ "+string(sql),
		"{rows}", source))).Scan(&added, &replaced)
	b.count.Added += added
	b.count.Replaced += replaced
	b.count.Unchanged -= added + replaced
	return apperr.Annotate(err, "write "+b.table)
}

func (b *batch) exec(ctx context.Context, tx pgx.Tx, statement string) error {
	_, err := tx.Exec(ctx, b.renderSQL("/* importer.{table} */ "+statement))
	return err
}
