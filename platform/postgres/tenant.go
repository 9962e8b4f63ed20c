package postgres

import (
	"errors"
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// ErrNoTenant is the error of a statement on an organisation's table that names no organisation. It is never sent.
var ErrNoTenant = errors.New("a statement on an organisation's table names no organisation: use postgres.Tenant")

// tenantColumns are the tables that belong to organisations, with the column that says to which one.
var tenantColumns = map[string]string{
	"organisations": "id", "memberships": "org_id", "players": "org_id", "player_ordinals": "org_id", "player_groups": "org_id",
	"group_members": "org_id", "forks": "org_id", "plays": "org_id", "audit_entries": "org_id", "audit_bursts": "org_id",
	"api_keys": "org_id", "fork_days": "org_id", "fork_months": "org_id",
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
	return errors.Join(
		c.Query().Before("gorm:query").Register("dg:tenant", scopeToTenant),
		c.Row().Before("gorm:row").Register("dg:tenant", scopeToTenant),
		c.Update().Before("gorm:update").Register("dg:tenant", scopeToTenant),
		c.Delete().Before("gorm:delete").Register("dg:tenant", scopeToTenant),
		c.Create().Before("gorm:create").Register("dg:tenant", requireTenantOfRows),
	)
}

// scopeToTenant adds the organisation to the conditions of a statement on an organisation's table.
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
		// One condition of the others, which Or may have joined: "a or b and org_id = …" reads every organisation's a.
		c := db.Statement.Clauses["WHERE"]
		if where, ok := c.Expression.(clause.Where); ok {
			c.Expression = clause.Where{Exprs: []clause.Expression{clause.And(where.Exprs...)}}
			db.Statement.Clauses["WHERE"] = c
		}
		db.Statement.AddClause(clause.Where{Exprs: []clause.Expression{
			clause.Eq{Column: clause.Column{Table: clause.CurrentTable, Name: column}, Value: id},
		}})
		return
	}
	_ = db.AddError(ErrNoTenant)
}

// requireTenantOfRows refuses new rows of an organisation's table without an organisation.
func requireTenantOfRows(db *gorm.DB) {
	column, owned := tenantColumn(db.Statement)
	if !owned || db.Statement.Schema == nil {
		return
	}
	field := db.Statement.Schema.LookUpField(column)
	named := func(row reflect.Value) bool {
		if field == nil {
			return false
		}
		_, zero := field.ValueOf(db.Statement.Context, row)
		return !zero
	}
	rows := db.Statement.ReflectValue
	if rows.Kind() != reflect.Slice && rows.Kind() != reflect.Array {
		if !named(rows) {
			_ = db.AddError(ErrNoTenant)
		}
		return
	}
	for i := range rows.Len() {
		if !named(reflect.Indirect(rows.Index(i))) {
			_ = db.AddError(ErrNoTenant)
			return
		}
	}
}

// tenantColumn returns the column that names the organisation in the statement's table, if that belongs to organisations.
func tenantColumn(s *gorm.Statement) (column string, owned bool) {
	table := s.Table
	if s.Schema != nil {
		table = s.Schema.Table
	}
	column, owned = tenantColumns[table]
	return column, owned
}
