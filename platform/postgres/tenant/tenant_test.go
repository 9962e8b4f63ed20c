package tenant_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/migrations"
	"dg/platform/postgres/tenant"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

type playerGroup struct{ ID, OrgID, Name string }

const (
	acme      = "00000000-0000-4000-8000-00000000000a"
	beta      = "00000000-0000-4000-8000-00000000000b"
	acmeSales = "00000000-0000-4000-8000-000000000001"
	betaSales = "00000000-0000-4000-8000-000000000002"
)

func (playerGroup) TableName() string { return "player_groups" }

type membership struct {
	OrgID        string
	UserID       string
	Organisation organisation `gorm:"foreignKey:OrgID"`
}

type organisation struct{ ID string }

// newGroups creates a group of the same name in each of two organisations.
func newGroups(t *testing.T) (*gorm.DB, []playerGroup) {
	db := pgtest.New(t).Owner.Gorm.WithContext(t.Context())
	require.NoError(t, db.Scopes(tenant.Across("a test")).Exec(
		`insert into organisations (id, slug, name, plan, reporting_mode)
		values (?, 'acme', 'Acme', 'pro', 'pseudonymous'), (?, 'beta', 'Beta', 'pro', 'pseudonymous')`,
		acme, beta).
		Error)
	rows := []playerGroup{{ID: acmeSales, OrgID: acme, Name: "Sales"}, {ID: betaSales, OrgID: beta, Name: "Sales"}}
	for _, row := range rows {
		require.NoError(t, db.Scopes(tenant.Scope(row.OrgID)).Create(&row).Error)
	}
	return db, rows
}

type orTrue struct{}

func (orTrue) ModifyStatement(s *gorm.Statement) {
	c := s.Clauses["WHERE"]
	c.AfterExpression = clause.Expr{SQL: "or true"}
	s.Clauses["WHERE"] = c
}

func (orTrue) Build(clause.Builder) {}

// CONTRIBUTING.md, Conventions: the guard refuses a statement whose structure does not scope it to an organisation.
func TestStatementsWithoutAnOrganisationAreRefused(t *testing.T) {
	db, _ := newGroups(t)
	var loaded []playerGroup
	var group playerGroup
	row := map[string]any{"id": acmeSales, "name": "x"}
	count := new(int64)
	scoped := func() *gorm.DB { return db.Scopes(tenant.Scope(acme)) }
	model := func() *gorm.DB { return scoped().Model(&playerGroup{}) }
	const maxName = "(select max(name) from player_groups)"
	replace := clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, UpdateAll: true}
	groups := clause.From{Tables: []clause.Table{{Name: "player_groups"}}}
	ids := db.Model(&playerGroup{}).Select("id")
	const allGroups, groupsOfOrg = "select * from player_groups", "select * from player_groups where org_id = @org"
	for name, err := range map[string]error{
		"query":                db.Where("name = ?", "Sales").Find(&loaded).Error,
		"query by id":          db.Take(&group, "id = ?", acmeSales).Error,
		"named in the text":    db.Where("org_id = ?", acme).Find(&loaded).Error,
		"no value":             db.Scopes(tenant.Scope("")).Find(&loaded).Error,
		"schema":               db.Table("public.player_groups").Count(count).Error,
		"scoped schema":        scoped().Table("public.player_groups").Count(count).Error,
		"alias":                scoped().Table("player_groups g").Where("g.id = ?", acmeSales).Find(&loaded).Error,
		"alias by as":          db.Table("player_groups AS g").Select("g.id").Scan(&row).Error,
		"table of a query":     scoped().Table("(?) g", db.Model(&playerGroup{})).Find(&loaded).Error,
		"table of a text":      db.Table("(select * from player_groups) g").Find(&loaded).Error,
		"from":                 db.Table("games").Clauses(groups).Count(count).Error,
		"another's scope":      scoped().Table("games").Count(count).Error,
		"join":                 scoped().Joins("join player_groups g on true").Find(&loaded).Error,
		"join from another":    db.Table("games").Joins("cross join player_groups").Count(count).Error,
		"joined model":         scoped().Model(&membership{}).Joins("Organisation").Count(count).Error,
		"subquery":             scoped().Where("exists (?)", ids).Find(&loaded).Error,
		"subquery of another":  db.Table("games").Where("id in (?)", ids).Find(&loaded).Error,
		"update":               db.Model(&playerGroup{}).Where("name = ?", "Sales").Update("name", "x").Error,
		"delete":               db.Where("name = ?", "Sales").Delete(&playerGroup{}).Error,
		"condition that ends":  scoped().Where("name = 'x') or (true").Find(&loaded).Error,
		"hidden in a string":   scoped().Where("name = '(') or (name <> ')'").Find(&loaded).Error,
		"comment":              scoped().Where("name = 'x' --").Find(&loaded).Error,
		"moved":                scoped().Model(&playerGroup{}).Where("id = ?", acmeSales).Update("org_id", beta).Error,
		"quoted table":         scoped().Table(`"player_groups"`).Count(count).Error,
		"moved by its field":   model().Where("id = ?", acmeSales).Update("OrgID", beta).Error,
		"expression as value":  scoped().Where("name = ?", gorm.Expr(maxName)).Find(&loaded).Error,
		"expression in a map":  scoped().Where(map[string]any{"name": gorm.Expr("'x' or true")}).Find(&loaded).Error,
		"expression in a list": scoped().Where("name in ?", []any{gorm.Expr("name")}).Find(&loaded).Error,
		"expression by name":   scoped().Where("name = @n", map[string]any{"n": gorm.Expr("name")}).Find(&loaded).Error,
		"expression in select": model().Select(maxName).Find(&loaded).Error,
		"select with a value":  model().Select("coalesce(?, name)", "x").Find(&loaded).Error,
		"distinct":             model().Distinct("lower(name)").Find(&loaded).Error,
		"group":                model().Select("id").Group("lower(name)").Find(&loaded).Error,
		"having":               model().Select("id").Group("id").Having("count(*) > 0").Find(&loaded).Error,
		"around a statement":   scoped().Clauses(orTrue{}).Find(&loaded).Error,
		"do updates": scoped().Clauses(clause.OnConflict{DoUpdates: clause.AssignmentColumns([]string{"name"})}).
			Create(&playerGroup{ID: betaSales, OrgID: acme, Name: "x"}).Error,
		"set": model().Where("id = ?", acmeSales).
			Clauses(clause.Set{{Column: clause.Column{Name: "org_id"}, Value: beta}}).Update("name", "x").Error,
		"moved by a struct":  scoped().Where("id = ?", acmeSales).Updates(&playerGroup{OrgID: beta}).Error,
		"create for another": scoped().Create(&playerGroup{ID: betaSales, OrgID: beta}).Error,
		"create":             db.Create(&[]playerGroup{{ID: acmeSales, OrgID: acme}, {ID: betaSales}}).Error,
		"create by map":      db.Table("player_groups").Create(row).Error,
		"replace":            db.Clauses(replace).Create(&playerGroup{ID: betaSales, OrgID: acme, Name: "x"}).Error,
		"text":               db.Raw(allGroups+" where org_id = ?", acme).Scan(&loaded).Error,
		"scoped text":        scoped().Raw(allGroups+" where org_id = ?", acme).Scan(&loaded).Error,
		"text without it":    tenant.Raw(db, acme, allGroups).Scan(&loaded).Error,
		"text of none":       tenant.Raw(db, "", groupsOfOrg).Scan(&loaded).Error,
		"statement":          db.Exec("update player_groups set name = 'x' where org_id = ?", acme).Error,
		"statement of none":  tenant.Exec(db, acme, "update player_groups set name = 'x'").Error,
		"in transaction":     db.Transaction(func(tx *gorm.DB) error { return tx.Find(&loaded).Error }),
	} {
		// gorm drops the error of a subquery, and PostgreSQL refuses the outer statement
		if strings.HasPrefix(name, "subquery") {
			require.ErrorContains(t, err, "syntax error", name)
		} else {
			require.ErrorIs(t, err, tenant.ErrUnscoped, name)
		}
	}
	require.Empty(t, loaded)
	require.Nil(t, db.Model(&playerGroup{}).Select("name").Row())
	require.Nil(t, db.Raw("select name from player_groups where org_id = ?", acme).Row())
}

// A scoped statement reads and changes only rows of its organisation, whatever its other conditions.
func TestScopedStatementsAddTheOrganisation(t *testing.T) {
	db, rows := newGroups(t)
	scoped := func() *gorm.DB { return db.Scopes(tenant.Scope(acme)) }
	for name, q := range map[string]*gorm.DB{
		"text":     scoped().Where("name = ? or true", "Sales"),
		"line":     scoped().Where("name = ?\nor true", "Sales"),
		"lines":    scoped().Where("name = @name\nor\ttrue", map[string]any{"name": "Sales"}).Or("true\nor true"),
		"or":       scoped().Where("name = ?", "x").Or("true"),
		"table":    scoped().Table("player_groups"),
		"columns":  scoped().Select("id, org_id", "name").Where(map[string]any{"name": "Sales"}),
		"group":    scoped().Select("id", "org_id", "name").Group("id").Order("lower(name)"),
		"subquery": scoped().Where("id in (?)", scoped().Model(&playerGroup{}).Select("id")),
		"raw":      tenant.Raw(db, acme, "select * from player_groups where org_id = @org and name = ?", "Sales"),
	} {
		var groups []playerGroup
		require.NoError(t, q.Find(&groups).Error, name)
		require.Equal(t, rows[:1], groups, name)
	}
	require.Equal(t, int64(1),
		scoped().Model(&playerGroup{}).Where("name = ?", "x").Or("true").Update("name", "y").RowsAffected)
	const rename = "update player_groups set name = ? where org_id = @org"
	require.Equal(t, int64(1), tenant.Exec(db, acme, rename, "z").RowsAffected)
	require.Equal(t, int64(1), scoped().Where("name = ?", "z").Or("true").Delete(&playerGroup{}).RowsAffected)

	var groups []playerGroup
	require.NoError(t, db.Scopes(tenant.Across("a test")).Find(&groups).Error)
	require.Equal(t, rows[1:], groups)
}

// tablesWithoutOrganisation maps each table that the guard does not cover to the reason.
var tablesWithoutOrganisation = map[string]string{
	"users":            "a person may belong to several organisations",
	"sessions":         "of a person",
	"recovery_codes":   "of a person",
	"account_resets":   "of a person",
	"password_guesses": "of an e-mail or an address",
	"secret_key_check": "of the secret key",
	"games":            "of all organisations",
	"api_key_windows":  "instants of a key's requests, by the key's id, which authentication has found",
	"unsealed_days": "days of forks and nothing else: a day is marked and cleaned after a " +
		"report of the organisation found its fork",
	"unsealed_months":    "as unsealed_days",
	"dg_schema_versions": "of the migrations",
}

// The guard covers every table with an organisation. Every other table is listed with a reason.
func TestGuardedTablesAreThoseOfTheDatabase(t *testing.T) {
	// the column that names the organisation, by table; "": none
	columns := tb.Query[map[string]string](t, pgtest.New(t).OwnerURL, `select json_object_agg(t.table_name,
		case t.table_name when 'organisations' then 'id' else coalesce(c.column_name, '') end)
		from information_schema.tables t left join information_schema.columns c
		  on (c.table_schema, c.table_name, c.column_name) = (t.table_schema, t.table_name, 'org_id')
		where t.table_schema = 'public'`)
	for table := range tablesWithoutOrganisation {
		require.Contains(t, columns, table)
		require.Empty(t, columns[table], table)
		delete(columns, table)
	}
	require.Equal(t, migrations.TenantColumns, columns)
}
