package importer

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// check is a rule for the staged rows of a type. query, a template for batch.renderSQL, selects
// line, field and value of each violation. expected describes the valid values in the error.
type check struct{ expected, query string }

// duplicatesSQL selects objects that occur twice in a file: the order of their updates would be
// undefined.
const duplicatesSQL = `
	select i.line, '{id}', concat_ws(', ', {i.key}) from import_{table} i
	join (select {key}, min(line) as line from import_{table}
	      group by {key} having count(*) > 1) o on {same}
	where i.line > o.line`

// referenceCheck requires that the object is stored, or staged for finalSQL (last_{table}).
func referenceCheck(name, column string) check {
	return check{"the id of a stored " + name + ", or of one in this or an earlier file", fmt.Sprintf(`
		select line, '%[1]sId', %[2]s::text from import_{table} i
		where not exists (select from %[1]ss s where s.id = i.%[2]s)
		  and not exists (select from last_%[1]ss s where s.id = i.%[2]s)`, name, column)}
}

func immutableCheck(name, column string) check {
	return check{"the " + name + " that is stored, which cannot change", fmt.Sprintf(`
		select i.line, '%[1]sId', i.%[2]s::text from import_{table} i
		join {table} o on {same} where o.%[2]s <> i.%[2]s`, name, column)}
}

// uniqueCheck requires unique values at the end of the file, among the objects o that satisfy the
// condition scope. If two lines conflict, it reports the later line.
func uniqueCheck(expected, field, column, scope string) check {
	// a union, because a condition with "or" prevents a hash join
	return check{expected, fmt.Sprintf(`
		select i.line, '%s', i.%[2]s from import_{table} i
		where exists (select from {end} o
		              where o.%[2]s = i.%[2]s and %[3]s and o.id <> i.id
		                and not exists (select from import_{table} j where j.id = o.id))
		union
		select i.line, '%[1]s', i.%[2]s from import_{table} i
		where exists (select from import_{table} o
		              where o.%[2]s = i.%[2]s and %[3]s and o.line < i.line)`,
		field, column, scope)}
}

// runChecks adds the violations as errors. Their order has playerIds[2] before playerIds[10],
// because it compares the lengths of fields first.
func (r *run) runChecks(ctx context.Context, b *batch) error {
	checks := append([]check{{"each " + b.name + " once in the file", duplicatesSQL}}, b.checks...)
	queries := make([]string, len(checks))
	for n, c := range checks {
		queries[n] = fmt.Sprintf("select *, %d from (%s) v (line, field, value)", n, b.renderSQL(c.query))
	}
	rows, err := r.tx.Query(ctx, fmt.Sprintf(`/* importer.check.%s */
		select * from (%s) v (line, field, value, check_index)
		order by line, check_index, length(field), field limit %d`,
		b.table, strings.Join(queries, " union all "), MaxErrors))
	if err != nil {
		return err
	}
	var line int64
	var checkIndex int
	var field, value string
	_, err = pgx.ForEachRow(rows, []any{&line, &field, &value, &checkIndex}, func() error {
		r.addError(line, faultText(field, checks[checkIndex].expected, value))
		return nil
	})
	return err
}
