package postgres

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// UnscopedTable returns an organisation's table that a statement reads or writes without saying of which organisation, or "".
//
// A statement says so where each select, update and delete in it has, among the conditions that must all hold, one that
// sets the organisation of each such table equal to a parameter, or to the organisation of a table for which that is said.
// An insert names the column. A subquery in "from" may leave the condition to the statement around it. This is no parser of
// SQL: a statement that it does not understand is refused, and has to be written more plainly.
func UnscopedTable(sql string) string {
	s := statement{tied: map[string]bool{}}
	for _, token := range sqlTokens.FindAllString(strings.ReplaceAll(strings.ToLower(sql), `"`, ""), -1) {
		if !strings.HasPrefix(token, "/*") && !strings.HasPrefix(token, "--") && !strings.HasPrefix(token, "::") {
			s.tokens = append(s.tokens, token)
		}
	}
	s.read()
	s.tie()
	return s.unscoped()
}

// sqlTokens finds comments, casts, literals, names with their dots, parameters, and other characters.
var sqlTokens = regexp.MustCompile(`(?s)/\*.*?\*/|--[^\n]*|::\s*\w+(?:\[\])?|'(?:[^']|'')*'|[\pL_][\pL\d_]*(?:\.[\pL\d_]+)*|\$\d+|@\w+|\S`)

// notAlias are the words that follow a table and are no alias of it.
var notAlias = strings.Fields("where join left right inner full cross natural on using set order group limit offset for union except intersect " +
	"values select returning having window with from and or then else end when case is in not default do , ( ) ; =")

// block is a select, insert, update or delete within a statement, or a pair of parentheses.
type block struct {
	around     *block
	alias      string // after the parentheses
	clause     string // the one that is being read: from, where ("on" too), or another
	tables     []table
	conditions []condition
	either     bool // the conditions need not all hold
}

// table is an organisation's table, or a subquery that leaves the condition to the block around it.
type table struct{ name, alias, column string }

// condition sets two names or parameters equal.
type condition struct{ left, right string }

type statement struct {
	tokens []string
	blocks []*block        // each after the one around it
	tied   map[string]bool // columns that are equal to a parameter
}

func (s *statement) at(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.tokens[i]
}

func (s *statement) begin(around *block) *block {
	b := &block{around: around}
	s.blocks = append(s.blocks, b)
	return b
}

// read finds the statement's blocks with their tables and conditions.
func (s *statement) read() {
	b := s.begin(nil)
	levels := [][]*block{{b}} // blocks of one pair of parentheses: the parts of a union
	for i, token := range s.tokens {
		last := len(levels) - 1
		switch token {
		case "(":
			b = s.begin(b)
			levels = append(levels, []*block{b})
		case ")":
			if last == 0 { // part of a statement
				continue
			}
			for _, inner := range levels[last] {
				inner.alias = s.alias(i + 1)
			}
			b, levels = b.around, levels[:last]
		case "union", "except", "intersect", ";":
			b = s.begin(b.around)
			levels[last] = append(levels[last], b)
		default:
			s.readToken(b, i)
		}
	}
}

// readToken reads one token of a block.
func (s *statement) readToken(b *block, i int) {
	switch token := s.tokens[i]; token {
	case "from", "join", "using", "into", "update", "truncate", "copy", "merge":
		if s.at(i-1) != "distinct" { // "is distinct from"
			b.clause = "from"
		}
	case "where", "on":
		b.clause = "where"
	case "select", "set", "values", "returning", "order", "group", "having", "limit":
		b.clause = token
	case "or", "case":
		b.either = b.either || b.clause == "where"
	case "=":
		s.readCondition(b, i)
	default:
		if column, owned := tenantColumns[token]; owned && s.namesTable(b, i) && !s.insertsColumn(i, column) {
			b.tables = append(b.tables, table{token, s.tableAlias(i), column})
		}
	}
}

// namesTable reports whether the name at i is the one of a table, not of a column or alias.
func (s *statement) namesTable(b *block, i int) bool {
	switch s.at(i - 1) {
	case "from", "join", "using", "into", "update", "truncate", "copy", "only", "lateral":
		return true
	case "table":
		return i == 1 // "lock table" reads no row
	case ",":
		return b.clause == "from"
	}
	return false
}

// insertsColumn reports whether the name at i is the table of an insert that gives the column a value.
func (s *statement) insertsColumn(i int, column string) bool {
	if s.at(i-1) != "into" {
		return false
	}
	for i++; s.at(i) == "as" || i > 0 && s.at(i-1) == "as"; i++ { // the alias
	}
	if s.at(i) != "(" {
		return false
	}
	end := slices.Index(s.tokens[i:], ")")
	return end > 0 && slices.Contains(s.tokens[i:i+end], column)
}

func (s *statement) tableAlias(i int) string {
	if alias := s.alias(i + 1); alias != "" {
		return alias
	}
	return s.tokens[i]
}

// alias returns the alias at i, or "".
func (s *statement) alias(i int) string {
	if s.at(i) == "as" {
		i++
	}
	if slices.Contains(notAlias, s.at(i)) {
		return ""
	}
	return s.at(i)
}

// readCondition reads "x = y" and "x = any (y)" around the sign at i, where it stands alone or after "and".
func (s *statement) readCondition(b *block, i int) {
	right := s.at(i + 1)
	if right == "any" && s.at(i+2) == "(" {
		right = s.at(i + 3)
	}
	if before := s.at(i - 2); b.clause == "where" && (before == "where" || before == "on" || before == "and") {
		b.conditions = append(b.conditions, condition{s.at(i - 1), right})
	}
}

func parameter(token string) bool {
	return token == "?" || strings.HasPrefix(token, "$") || strings.HasPrefix(token, "@")
}

// tie finds the columns that are equal to a parameter, or to such a column.
func (s *statement) tie() {
	for more := true; more; {
		more = false
		for _, b := range s.blocks {
			if b.either {
				continue
			}
			for _, c := range b.conditions {
				left, right := s.tied[c.left], s.tied[c.right] || parameter(c.right)
				if left != right && strings.Contains(c.left, ".") {
					s.tied[c.left], more = true, true
				}
				if left && !right && strings.Contains(c.right, ".") {
					s.tied[c.right], more = true, true
				}
			}
		}
	}
}

// unscoped returns a table that no block ties, from the innermost ones on.
func (s *statement) unscoped() string {
	for _, b := range slices.Backward(s.blocks) {
		for _, t := range b.tables {
			if b.ties(t, s.tied) {
				continue
			}
			if b.around == nil {
				return t.name
			}
			b.around.tables = append(b.around.tables, table{t.name, b.alias, t.column})
		}
	}
	return ""
}

// ties reports whether the block says of which organisation the table's rows are.
func (b *block) ties(t table, tied map[string]bool) bool {
	if b.either || t.alias == "" {
		return false
	}
	full := t.alias + "." + t.column
	return slices.ContainsFunc(b.conditions, func(c condition) bool {
		bare := c.left == t.column && len(b.tables) == 1 && (parameter(c.right) || tied[c.right])
		return bare || (c.left == full || c.right == full) && tied[full]
	})
}

// verdicts keeps what UnscopedTable says of the statements of the program, which are few: those with lists of placeholders are
// not kept beyond maxVerdicts.
type verdicts struct {
	kept  sync.Map
	count atomic.Int64
}

const maxVerdicts = 1000

func (v *verdicts) scoped(sql string) bool {
	if scoped, ok := v.kept.Load(sql); ok {
		return scoped.(bool)
	}
	scoped := UnscopedTable(sql) == ""
	if v.count.Load() < maxVerdicts {
		if _, loaded := v.kept.LoadOrStore(sql, scoped); !loaded {
			v.count.Add(1)
		}
	}
	return scoped
}
