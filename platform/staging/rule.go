package staging

import (
	"fmt"
	"strings"
)

// Rule is a condition on the staged and stored rows of a table.
type Rule struct {
	Table    *Table
	Name     string // for the tag of the query
	Expected string // for the error
	Query    string // selects line, field and value of each row that violates the rule
}

// UniqueInFile is the rule that a file has each object at most once; columns identify the object.
func (t *Table) UniqueInFile(field, columns string) Rule {
	first, _, _ := strings.Cut(columns, ",")
	return Rule{
		Table:    t,
		Name:     "unique_in_file",
		Expected: "each " + t.kind.Noun + " once in the file",
		Query: fmt.Sprintf(`
		select line, '%[1]s', %[4]s::text from (
			select line, %[2]s, row_number() over (partition by %[2]s order by line) as nth from %[3]s
			where (%[2]s) in (select %[2]s from %[3]s group by %[2]s having count(*) > 1)
		) repeated where nth > 1`, field, columns, t.kind.Staged(), first),
	}
}

// References is the rule that a column holds the id of an object of the target kind, stored or on
// an earlier line.
func (t *Table) References(field, column string, target Kind) Rule {
	return Rule{Table: t, Name: "references", Expected: target.ID(), Query: fmt.Sprintf(`
		select line, '%[1]s', %[2]s::text from %[3]s i
		where not exists (select from %[4]s s where s.id = i.%[2]s)
		  and not exists (select from %[5]s s where s.id = i.%[2]s and s.line < i.line)`,
		field, column, t.kind.Staged(), target.Stored, target.Staged())}
}

// ID describes a reference to an object of the kind, for errors.
func (k Kind) ID() string {
	return "the id of " + article(k.Noun) + " that is stored or on an earlier line"
}

// Immutable is the rule that a column of a stored object keeps its value; noun is what the column
// refers to.
func (t *Table) Immutable(field, column, noun string) Rule {
	return Rule{
		Table:    t,
		Name:     "immutable",
		Expected: "the " + noun + " that is stored, which cannot change",
		Query: fmt.Sprintf(`
		select i.line, '%[1]s', i.%[2]s::text from %[3]s i join %[4]s s on s.id = i.id where s.%[2]s <> i.%[2]s`,
			field, column, t.kind.Staged(), t.kind.Stored),
	}
}

// Unique is the rule that a column has no value twice after the import, among all objects or those
// with the same value of within. The later of two lines violates it.
func (t *Table) Unique(field, column, within, expected string) Rule {
	same := fmt.Sprintf("o.%[1]s = i.%[1]s", column)
	if within != "" {
		same += fmt.Sprintf(" and o.%[1]s = i.%[1]s", within)
	}
	return Rule{Table: t, Name: "unique", Expected: expected, Query: fmt.Sprintf(`
		select i.line, '%[1]s', i.%[2]s from %[3]s i
		where exists (select from %[4]s o where %[5]s and o.id <> i.id
		              and not exists (select from %[3]s j where j.id = o.id))
		   or exists (select from %[3]s o where %[5]s and o.id <> i.id and o.line < i.line)`,
		field, column, t.kind.Staged(), t.kind.Stored, same)}
}

func article(noun string) string {
	if strings.ContainsRune("aeio", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
