package staging

import (
	"context"
	"fmt"
)

// Rule is what the staged rows of a table keep, seen together with each other and with what is stored.
type Rule struct {
	Of       *Table
	Name     string // for the tag, such as org.import.slug
	Expected string // what was expected, for the error
	Broken   string // SQL: line, field and value of each row that breaks the rule
}

// Violation is a staged row that breaks a rule.
type Violation struct {
	Line                 int64
	Field, Expected, Got string
}

// Check returns the first violations of each rule by line, at most limit of each.
func (s *Stage) Check(ctx context.Context, rules []Rule, limit int) ([]Violation, error) {
	var found []Violation
	for _, r := range rules {
		if r.Of.rows == 0 {
			continue
		}
		broken, err := s.broken(ctx, r, limit)
		if err != nil {
			return nil, fmt.Errorf("check %s: %w", r.Name, err)
		}
		found = append(found, broken...)
	}
	return found, nil
}

func (s *Stage) broken(ctx context.Context, r Rule, limit int) ([]Violation, error) {
	rows, err := s.tx.Query(ctx, fmt.Sprintf(
		"/* %s */ select line, field, got from (\n%s\n) broken (line, field, got) order by line, field limit %d",
		r.Name, r.Broken, limit))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []Violation
	for rows.Next() {
		v := Violation{Expected: r.Expected}
		if err := rows.Scan(&v.Line, &v.Field, &v.Got); err != nil {
			return nil, err
		}
		found = append(found, v)
	}
	return found, rows.Err()
}

// Once is the rule that an object stands at most once in a file; columns are those that identify it.
func Once(of *Table, name, field, columns string) Rule {
	return Rule{Of: of, Name: name + ".once", Expected: "at most once in a file", Broken: fmt.Sprintf(`
		select line, '%[1]s', %[4]s::text from (
			select line, %[2]s, row_number() over (partition by %[2]s order by line) as nth from %[3]s
			where (%[2]s) in (select %[2]s from %[3]s group by %[2]s having count(*) > 1)
		) repeated where nth > 1`, field, columns, of.name, firstColumn(columns))}
}

func firstColumn(columns string) string {
	for i, c := range columns {
		if c == ',' {
			return columns[:i]
		}
	}
	return columns
}

// Reference is a column of a staged table that names another object.
type Reference struct {
	Of            *Table
	Column, Field string
	Noun          string // what it names, such as fork
	Stored        string // the table where such objects are stored
	Staged        string // the table where they are staged
}

// Known is the rule that a reference names an object that is stored or stands on an earlier line.
func Known(name string, r Reference) Rule {
	return Rule{
		Of: r.Of, Name: name + ".known",
		Expected: "the id of " + article(r.Noun) + " that is stored or stands on an earlier line",
		Broken: fmt.Sprintf(`
		select line, '%[1]s', %[2]s::text from %[3]s i
		where not exists (select from %[4]s s where s.id = i.%[2]s)
		  and not exists (select from %[5]s s where s.id = i.%[2]s and s.line < i.line)`,
			r.Field, r.Column, r.Of.name, r.Stored, r.Staged)}
}

// Fixed is the rule that a column of a stored object does not change.
func Fixed(of *Table, name, field, noun, column, stored string) Rule {
	return Rule{
		Of: of, Name: name + ".fixed",
		Expected: "the same " + noun + " as stored, which cannot change",
		Broken: fmt.Sprintf(`
		select i.line, '%[1]s', i.%[2]s::text from %[3]s i join %[4]s s on s.id = i.id where s.%[2]s <> i.%[2]s`,
			field, column, of.name, stored)}
}

// Distinct is the rule that no two objects have the same value in the end, after the import; within says which column
// the value is unique in, and may be empty. The line is that of the later object.
func Distinct(of *Table, name, field, column, within, stored, expected string) Rule {
	same := "o." + column + " = i." + column
	if within != "" {
		same += " and o." + within + " = i." + within
	}
	return Rule{
		Of: of, Name: name + ".distinct", Expected: expected,
		Broken: fmt.Sprintf(`
		select i.line, '%[1]s', i.%[2]s from %[3]s i
		where exists (select from %[4]s o where %[5]s and o.id <> i.id
		              and not exists (select from %[3]s j where j.id = o.id))
		   or exists (select from %[3]s o where %[5]s and o.id <> i.id and o.line < i.line)`,
			field, column, of.name, stored, same)}
}

// Count is what became of the staged objects of one type.
type Count struct {
	Type                       string
	Added, Replaced, Unchanged int64
}

// Write replaces the stored objects that differ by update and adds those that are missing by insert, in this order: a
// value that must be unique is given up before it is taken.
func (s *Stage) Write(ctx context.Context, typ string, of *Table, update, insert string) (Count, error) {
	c := Count{Type: typ}
	if of.rows == 0 {
		return c, nil
	}
	replaced, err := s.tx.Exec(ctx, update)
	if err != nil {
		return c, fmt.Errorf("replace %s: %w", of.name, err)
	}
	added, err := s.tx.Exec(ctx, insert)
	if err != nil {
		return c, fmt.Errorf("add %s: %w", of.name, err)
	}
	c.Replaced, c.Added = replaced.RowsAffected(), added.RowsAffected()
	c.Unchanged = of.rows - c.Replaced - c.Added
	return c, nil
}

func article(noun string) string {
	if noun[0] == 'o' {
		return "an " + noun
	}
	return "a " + noun
}
