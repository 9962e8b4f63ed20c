package tenant

import (
	"database/sql"
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/migrations"
)

// ErrUnscoped is the error of a statement that the guard has rejected, before it was sent.
var ErrUnscoped = errors.New(
	"a statement names no organisation: use tenant.Scope on a model, or tenant.Raw or Exec for a text")

const (
	tenantSetting = "dg:tenant"     // the organisation that Scope adds to the conditions
	rawSetting    = "dg:tenant_raw" // the organisation that raw SQL must have among its parameters
	acrossSetting = "dg:across_tenants"
)

// Scope returns a gorm scope that limits a statement to the organisation's rows.
func Scope(organisationID string) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Set(tenantSetting, organisationID) }
}

// Raw is like gorm's Raw, for SQL on one organisation, which is its parameter @org. gorm's own Raw
// and Exec need Across. The guard does not inspect a Raw inside a condition.
func Raw(db *gorm.DB, organisationID, query string, args ...any) *gorm.DB {
	return db.Set(rawSetting, organisationID).Raw(query, withOrg(query, organisationID, args)...)
}

// Exec is like Raw, for SQL that returns no rows.
func Exec(db *gorm.DB, organisationID, query string, args ...any) *gorm.DB {
	return db.Set(rawSetting, organisationID).Exec(query, withOrg(query, organisationID, args)...)
}

// withOrg adds @org to args if query contains it. Otherwise the id must be among the parameters.
func withOrg(query, organisationID string, args []any) []any {
	if !strings.Contains(query, "@org") {
		return args
	}
	return append(args, sql.Named("org", organisationID))
}

// Across is a gorm scope for statements that deliberately concern several organisations, and for
// raw SQL on tables without organisations. The reason documents the call.
func Across(reason string) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Set(acrossSetting, reason) }
}

// Guard registers the guard (doc.go) in the callbacks of db.
func Guard(db *gorm.DB) error {
	callbacks := db.Callback()
	return errors.Join(
		callbacks.Query().Before("gorm:query").Register("dg:tenant", guardStatements(addScope)),
		callbacks.Row().Before("gorm:row").Register("dg:tenant", guardStatements(addScope)),
		callbacks.Raw().Before("gorm:raw").Register("dg:tenant", guardStatements(addScope)),
		callbacks.Update().Before("gorm:update").Register("dg:tenant", guardStatements(addUpdateScope)),
		callbacks.Delete().Before("gorm:delete").Register("dg:tenant", guardStatements(addScope)),
		callbacks.Create().Before("gorm:create").Register("dg:tenant", guardStatements(rowsAreScoped)),
	)
}

// guardStatements adds ErrUnscoped to statements that are not scoped. In a subquery gorm drops the
// error, and the outer statement has a syntax error.
func guardStatements(scoped func(*gorm.DB) bool) func(*gorm.DB) {
	return func(db *gorm.DB) {
		if _, across := db.Get(acrossSetting); !across && !scoped(db) {
			_ = db.AddError(ErrUnscoped)
		}
	}
}

// addScope adds the organisation's condition, or returns false. Raw SQL must have the id instead.
func addScope(db *gorm.DB) bool {
	s := db.Statement
	if s.SQL.Len() > 0 {
		id, ok := db.Get(rawSetting)
		return ok && id != "" && slices.Contains(s.Vars, id)
	}
	id, ok := db.Get(tenantSetting)
	column, owned := migrations.TenantColumns[s.Table]
	if !usesOneTable(s) || ok != owned || id == "" {
		return false
	}
	return !owned || addCondition(s, clause.Eq{
		Column: clause.Column{Table: clause.CurrentTable, Name: column},
		Value:  id,
	})
}

// addUpdateScope is addScope for updates. It rejects a new organisation, which would move the row.
func addUpdateScope(db *gorm.DB) bool {
	s := db.Statement
	column, owned := migrations.TenantColumns[s.Table]
	if !owned {
		return addScope(db)
	}
	values, ok := s.Dest.(map[string]any) // set by gorm's Update, and by Updates with a map
	for name := range values {
		if s.Schema != nil && s.Schema.LookUpField(name) != nil { // gorm accepts field names, too
			name = s.Schema.LookUpField(name).DBName
		}
		ok = ok && name != column
	}
	_, hasSet := s.Clauses["SET"]
	return ok && !hasSet && addScope(db)
}

var (
	identifierPattern  = regexp.MustCompile(`^\w+$`)
	identifiersPattern = regexp.MustCompile(`^(\*|\w+(\.\w+)?(, ?\w+(\.\w+)?)*)$`)
	commentPattern     = regexp.MustCompile(`^/\* [\w.]+ \*/$`) // the form that postgres.Tag writes
)

// usesOneTable reports whether s uses only one table, that of a model or one given by bare name,
// without joins and without expressions outside Where and Order.
func usesOneTable(s *gorm.Statement) bool {
	isPlainTable := s.TableExpr == nil || s.TableExpr.SQL == s.Quote(s.Table) && len(s.TableExpr.Vars) == 0
	if !isPlainTable || !identifierPattern.MatchString(s.Table) || len(s.Joins) > 0 ||
		slices.ContainsFunc(s.Selects, func(name string) bool { return !identifiersPattern.MatchString(name) }) {
		return false
	}
	for _, c := range s.Clauses {
		if c.AfterNameExpression != nil || c.AfterExpression != nil || !hasKnownForm(c) {
			return false
		}
	}
	return true
}

func hasKnownForm(c clause.Clause) bool {
	if tag, ok := c.BeforeExpression.(clause.Expr); c.BeforeExpression != nil &&
		(!ok || !commentPattern.MatchString(tag.SQL)) {
		return false
	}
	switch e := c.Expression.(type) {
	case clause.Expr:
		return e.SQL == "count(*)" // the SQL of gorm's Count
	case clause.From, clause.Insert, clause.Update, clause.Delete: // gorm leaves them empty
		return reflect.ValueOf(e).IsZero()
	case clause.GroupBy:
		return len(e.Having) == 0 &&
			!slices.ContainsFunc(e.Columns, func(c clause.Column) bool { return c.Raw })
	}
	return true
}

// addCondition adds condition and puts the others in parentheses: "a or b and org_id = …" would
// match a in every organisation. It returns false if another condition closes the parentheses or
// has an expression as value.
func addCondition(s *gorm.Statement, condition clause.Expression) bool {
	where := s.Clauses["WHERE"]
	exprs := []clause.Expression{condition}
	if other, ok := where.Expression.(clause.Where); ok && len(other.Exprs) > 0 {
		if !arePlain(other.Exprs) {
			return false
		}
		exprs = append(exprs, parenthesised{other})
	}
	where.Name = "WHERE"
	where.Expression = clause.Where{Exprs: exprs}
	s.Clauses["WHERE"] = where
	return true
}

// parenthesised is needed because gorm adds no parentheses if an "or" stands at a line break.
type parenthesised struct{ clause.Where }

func (e parenthesised) Build(b clause.Builder) {
	_ = b.WriteByte('(')
	e.Where.Build(b)
	_ = b.WriteByte(')')
}

func arePlain(exprs []clause.Expression) bool {
	for _, e := range exprs {
		ok := false
		switch e := e.(type) {
		case clause.Expr:
			ok = isBalanced(e.SQL) && areValues(e.Vars...)
		case clause.NamedExpr:
			ok = isBalanced(e.SQL) && areValues(e.Vars...)
		case clause.Eq:
			ok = areValues(e.Value)
		case clause.IN:
			ok = areValues(e.Values...)
		case clause.AndConditions:
			ok = arePlain(e.Exprs)
		case clause.OrConditions:
			ok = arePlain(e.Exprs)
		}
		if !ok {
			return false
		}
	}
	return true
}

// areValues reports whether no value is an expression, which gorm would write into the statement.
func areValues(values ...any) bool {
	for _, value := range values {
		if named, ok := value.(sql.NamedArg); ok {
			value = named.Value
		}
		switch value := value.(type) {
		case clause.Expression:
			return false
		case map[string]any:
			if !areValues(slices.Collect(maps.Values(value))...) {
				return false
			}
		case []any:
			if !areValues(value...) {
				return false
			}
		}
	}
	return true
}

// isBalanced reports whether parentheses outside string literals match. It rejects a semicolon, and
// what could hide a parenthesis: quoted identifiers, escapes, dollar quotes and comments. For
// comments it rejects every - and /, operators too.
func isBalanced(text string) bool {
	depth := 0
	quoted := false
	for _, c := range text {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0 && !quoted && !strings.ContainsAny(text, `"\;$-/`)
}

// rowsAreScoped rejects rows of other organisations, and upserts, which could change such rows.
func rowsAreScoped(db *gorm.DB) bool {
	s := db.Statement
	column, owned := migrations.TenantColumns[s.Table]
	if !owned || !usesOneTable(s) {
		return usesOneTable(s)
	}
	id, _ := db.Get(tenantSetting)
	conflict, _ := s.Clauses["ON CONFLICT"].Expression.(clause.OnConflict)
	return len(conflict.DoUpdates) == 0 && !conflict.UpdateAll && rowsHave(s, column, id)
}

func rowsHave(s *gorm.Statement, column string, id any) bool {
	if s.Schema == nil || s.Schema.LookUpField(column) == nil || id == nil || id == "" {
		return false
	}
	belongs := func(row reflect.Value) bool {
		value, _ := s.Schema.LookUpField(column).ValueOf(s.Context, row)
		return value == id
	}
	rows := s.ReflectValue
	if rows.Kind() != reflect.Slice && rows.Kind() != reflect.Array {
		return belongs(rows)
	}
	for i := range rows.Len() {
		if !belongs(reflect.Indirect(rows.Index(i))) {
			return false
		}
	}
	return true
}
