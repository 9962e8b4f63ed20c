package postgres

import (
	"errors"
	"reflect"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
)

// ErrNoTenant is the error of a statement on an organisation's table that names no organisation. It is never sent.
var ErrNoTenant = errors.New("a statement on an organisation's table names no organisation: use postgres.Tenant")

// tenantColumns are the tables that belong to organisations, with the column that says to which one.
var tenantColumns = map[string]string{
	"organisations": "id", "memberships": "org_id", "players": "org_id", "player_ordinals": "org_id", "player_groups": "org_id",
	"group_members": "org_id", "forks": "org_id", "plays": "org_id", "audit_entries": "org_id", "audit_bursts": "org_id",
	"api_keys": "org_id", "api_key_usage": "org_id", "fork_days": "org_id", "fork_months": "org_id",
}

// The settings of a statement that the guard reads.
const (
	tenantSetting = "dg:tenant"
	acrossSetting = "dg:across_tenants"
)

// Tenant is a gorm scope: the statement reads and changes rows of this organisation only. The guard adds the condition, and
// refuses a statement on an organisation's table that has neither Tenant nor AcrossTenants.
func Tenant(organisationID string) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Set(tenantSetting, organisationID) }
}

// AcrossTenants is a gorm scope for the few lookups that are deliberately not scoped to an organisation. The reason is for the
// reader.
func AcrossTenants(reason string) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Set(acrossSetting, reason) }
}

// guardTenants makes g refuse statements that name no organisation.
func guardTenants(g *gorm.DB) error {
	c := g.Callback()
	var known verdicts
	return errors.Join(
		c.Query().Before("gorm:query").Register("dg:tenant", known.scopeQuery),
		c.Row().Before("gorm:row").Register("dg:tenant", known.scopeQuery),
		c.Raw().Before("gorm:raw").Register("dg:tenant", known.checkText),
		c.Update().Before("gorm:update").Register("dg:tenant", scopeToTenant),
		c.Delete().Before("gorm:delete").Register("dg:tenant", scopeToTenant),
		c.Create().Before("gorm:create").Register("dg:tenant", requireTenantOfRows),
	)
}

// scopeQuery adds the organisation to the conditions of a query, and checks the text: other tables may be joined, and the text
// may be written by hand.
func (v *verdicts) scopeQuery(db *gorm.DB) {
	scopeToTenant(db)
	if db.Error == nil || db.DryRun { // gorm drops the error of a subquery: the text around it is refused for what is in it
		callbacks.BuildQuerySQL(db)
		v.checkText(db)
	}
}

// checkText refuses a statement's text that names no organisation.
func (v *verdicts) checkText(db *gorm.DB) {
	if _, across := db.Get(acrossSetting); !across && !v.scoped(db.Statement.SQL.String()) {
		_ = db.AddError(ErrNoTenant)
	}
}

// scopeToTenant adds the organisation to the conditions of a builder's statement on an organisation's table.
func scopeToTenant(db *gorm.DB) {
	column, owned := tenantColumn(db.Statement)
	if !owned || db.Statement.SQL.Len() > 0 {
		return
	}
	if _, across := db.Get(acrossSetting); across {
		return
	}
	id, _ := db.Get(tenantSetting)
	if id, _ := id.(string); id != "" {
		addCondition(db.Statement, clause.Eq{Column: clause.Column{Table: clause.CurrentTable, Name: column}, Value: id})
		return
	}
	_ = db.AddError(ErrNoTenant)
}

// addCondition adds a condition that must hold whatever the others are. They become one, because Or may have joined them:
// "a or b and org_id = …" reads every organisation's a.
func addCondition(s *gorm.Statement, condition clause.Expression) {
	where := s.Clauses["WHERE"]
	exprs := []clause.Expression{condition}
	if others, ok := where.Expression.(clause.Where); ok && len(others.Exprs) > 0 {
		exprs = append(exprs, clause.And(others.Exprs...))
	}
	where.Name, where.Expression = "WHERE", clause.Where{Exprs: exprs}
	s.Clauses["WHERE"] = where
}

// requireTenantOfRows refuses new rows of an organisation's table without an organisation.
func requireTenantOfRows(db *gorm.DB) {
	if column, owned := tenantColumn(db.Statement); owned && !rowsHave(db.Statement, column) {
		_ = db.AddError(ErrNoTenant)
	}
}

// rowsHave reports whether each new row has a value in the column.
func rowsHave(s *gorm.Statement, column string) bool {
	if s.Schema == nil || s.Schema.LookUpField(column) == nil {
		return false
	}
	has := func(row reflect.Value) bool {
		_, zero := s.Schema.LookUpField(column).ValueOf(s.Context, row)
		return !zero
	}
	rows := s.ReflectValue
	if rows.Kind() != reflect.Slice && rows.Kind() != reflect.Array {
		return has(rows)
	}
	for i := range rows.Len() {
		if !has(reflect.Indirect(rows.Index(i))) {
			return false
		}
	}
	return true
}

// tenantColumn returns the column that names the organisation in the statement's table, if that belongs to organisations.
func tenantColumn(s *gorm.Statement) (column string, owned bool) {
	table := s.Table
	if s.TableExpr != nil { // such as "memberships m"
		table, _, _ = strings.Cut(strings.ReplaceAll(s.TableExpr.SQL, `"`, ""), " ")
	} else if s.Schema != nil {
		table = s.Schema.Table
	}
	column, owned = tenantColumns[table]
	return column, owned
}
