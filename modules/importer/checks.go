package importer

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// check is a rule of a type's staged rows, applied once the types before it are stored. Its query
// selects line, field and value of each row that violates the rule.
type check struct{ expected, query string }

// once is the rule that a file has each object once.
func once(name, field, column string) check {
	return check{"each " + name + " once in the file", fmt.Sprintf(`
		select i.line, '%s', i.%s::text from import_{table} i
		join (select {key}, min(line) as line from import_{table}
		      group by {key} having count(*) > 1) o on {same}
		where i.line > o.line`, field, column)}
}

// refersTo is the rule of a field that holds the id of an object of another type.
func refersTo(name, table, field, column string) check {
	return check{"the id of a stored " + name + ", or of one in the file", fmt.Sprintf(`
		select line, '%s', %[2]s::text from import_{table} i
		where not exists (select from %[3]s s where s.id = i.%[2]s)`, field, column, table)}
}

// immutable is the rule of a field that never changes.
func immutable(name, field, column string) check {
	return check{"the " + name + " that is stored, which cannot change", fmt.Sprintf(`
		select i.line, '%s', i.%[2]s::text from import_{table} i
		join {table} o on {same} where o.%[2]s <> i.%[2]s`, field, column)}
}

// unique is the rule that, after the import, no two objects among which within holds have the same
// value in a field. It reports the later of two lines.
func unique(expected, field, column, within string) check {
	// a union, because the planner does not hash what "or" joins
	return check{expected, fmt.Sprintf(`
		select i.line, '%s', i.%[2]s from import_{table} i
		where exists (select from {table} o
		              where o.%[2]s = i.%[2]s and %[3]s and o.id <> i.id
		                and not exists (select from import_{table} j where j.id = o.id))
		union
		select i.line, '%[1]s', i.%[2]s from import_{table} i
		where exists (select from import_{table} o
		              where o.%[2]s = i.%[2]s and %[3]s and o.line < i.line)`,
		field, column, within)}
}

// check reports the first rows by line that violate the rules of the type.
func (r *run) check(ctx context.Context, f *format) error {
	queries := make([]string, len(f.checks))
	for n, rule := range f.checks {
		queries[n] = fmt.Sprintf("select line, %d, field, value from (%s) v (line, field, value)",
			n, f.sql(rule.query))
	}
	rows, err := r.tx.Query(ctx, fmt.Sprintf("/* importer.check.%s */ %s order by 1, 2, 3 limit %d",
		f.table, strings.Join(queries, " union all "), MaxErrors))
	if err != nil {
		return err
	}
	var line int64
	var rule int
	var field, value string
	_, err = pgx.ForEachRow(rows, []any{&line, &rule, &field, &value}, func() error {
		r.addError(line, invalid(field, f.checks[rule].expected, value))
		return nil
	})
	return err
}
