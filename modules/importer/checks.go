package importer

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// check is a rule of the rows of a file.
type check struct {
	name     string // for the tag of the query
	expected string // for the error
	query    string // selects line, field and value of each row that violates the rule
}

// reference is a column that holds the id of an object, stored or on an earlier line.
type reference struct{ field, column, to string }

// unique is a column that has no value twice after the import, among all objects or those for which
// within holds.
type unique struct{ field, column, within, expected string }

const (
	repeated = `
		select line, '{keyField}', {first}::text from (
			select line, {key}, row_number() over (partition by {key} order by line) as nth
			from import_{stored}
			where ({key}) in (select {key} from import_{stored} group by {key} having count(*) > 1)
		) repeated where nth > 1`
	dangling = `
		select line, '{field}', {column}::text from import_{stored} i
		where not exists (select from {target} s where s.id = i.{column})
		  and not exists (select from import_{target} s where s.id = i.{column} and s.line < i.line)`
	moved = `
		select i.line, '{field}', i.{column}::text from import_{stored} i
		join {stored} o on {same} where o.{column} <> i.{column}`
	// taken names the later of two lines
	taken = `
		select i.line, '{field}', i.{column} from import_{stored} i
		where exists (select from {stored} o
		              where o.{column} = i.{column} and {within} and o.id <> i.id
		                and not exists (select from import_{stored} j where j.id = o.id))
		   or exists (select from import_{stored} o
		              where o.{column} = i.{column} and {within} and o.id <> i.id
		                and o.line < i.line)`
)

// storedID describes a reference to an object of the type.
func storedID(name string) string {
	article := "a "
	if strings.ContainsRune("aeio", rune(name[0])) {
		article = "an "
	}
	return "the id of " + article + name + " that is stored or on an earlier line"
}

// allChecks returns the rules of the type. formats are those of the types it refers to.
func (f *format) allChecks(formats map[string]*format) []check {
	first, _, _ := strings.Cut(f.keys(), ", ")
	all := []check{{"unique_in_file", "each " + f.name + " once in the file",
		f.sql(repeated, "{keyField}", cmp.Or(f.keyField, "id"), "{first}", first)}}
	for i, r := range f.references {
		values := []string{"{field}", r.field, "{column}", r.column, "{target}", formats[r.to].stored}
		all = append(all, check{"references", storedID(r.to), f.sql(dangling, values...)})
		if i == 0 && f.fixed != "" {
			all = append(all, check{"immutable",
				"the " + r.to + " that is stored, which cannot change", f.sql(moved, values...)})
		}
	}
	if u := f.unique; u.column != "" {
		all = append(all, check{"unique", u.expected, f.sql(taken,
			"{field}", u.field, "{column}", u.column, "{within}", u.within)})
	}
	return append(all, f.checks...)
}

// violations returns the first rows by line that violate a rule.
func (f *format) violations(ctx context.Context, tx pgx.Tx, rule check) ([]Error, error) {
	rows, err := tx.Query(ctx, fmt.Sprintf("/* importer.%s.%s */ "+
		"select line, field, value from (%s) v (line, field, value) order by line, field limit %d",
		f.stored, rule.name, rule.query, MaxErrors))
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Error, error) {
		e := Error{Expected: rule.expected}
		err := row.Scan(&e.Line, &e.Field, &e.Got)
		if e.Got != "" {
			e.Got = quote(e.Got)
		}
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("check %s of %s: %w", rule.name, f.stored, err)
	}
	return found, nil
}
