package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

type playerGroup struct {
	ID    string
	OrgID string
	Name  string
}

const (
	acme, beta           = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
	acmeSales, betaSales = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
)

// newGroups gives two organisations a group of one name each.
func newGroups(t *testing.T) (*gorm.DB, []playerGroup) {
	db := pgtest.New(t).Owner.Gorm.WithContext(t.Context())
	require.NoError(t, db.Exec(`insert into organisations (id, slug, name, plan, reporting_mode)
		values (?, 'acme', 'Acme', 'pro', 'pseudonymous'), (?, 'beta', 'Beta', 'pro', 'pseudonymous')`, acme, beta).Error)
	rows := []playerGroup{{ID: acmeSales, OrgID: acme, Name: "Sales"}, {ID: betaSales, OrgID: beta, Name: "Sales"}}
	require.NoError(t, db.Create(&rows).Error)
	return db, rows
}

// Every other statement names the organisation (decisions.md, Data): those on an organisation's table that do not are refused.
func TestStatementsWithoutAnOrganisationAreRefused(t *testing.T) {
	db, _ := newGroups(t)
	var found []playerGroup
	var one playerGroup
	row := map[string]any{"id": acmeSales, "name": "x"}
	const joined = "join player_groups g on g.name = organisations.name"
	for name, err := range map[string]error{
		"query":          db.Where("name = ?", "Sales").Find(&found).Error,
		"query by id":    db.Take(&one, "id = ?", acmeSales).Error,
		"no value":       db.Scopes(postgres.Tenant("")).Find(&found).Error,
		"alias":          db.Table("player_groups g").Where("g.id = ?", acmeSales).Find(&found).Error,
		"alias by as":    db.Table("player_groups AS g").Select("g.id").Scan(&row).Error,
		"join":           db.Table("organisations").Scopes(postgres.Tenant(acme)).Select("g.*").Joins(joined).Find(&found).Error,
		"subquery":       db.Table("games").Where("exists (select from player_groups)").Find(&found).Error,
		"built subquery": db.Table("games").Where("id in (?)", db.Model(&playerGroup{}).Select("id")).Find(&found).Error,
		"update":         db.Model(&playerGroup{}).Where("name = ?", "Sales").Update("name", "x").Error,
		"delete":         db.Where("name = ?", "Sales").Delete(&playerGroup{}).Error,
		"create":         db.Create(&[]playerGroup{{ID: acmeSales, OrgID: acme}, {ID: betaSales}}).Error,
		"create by map":  db.Table("player_groups").Create(row).Error,
		"raw":            db.Raw("select * from player_groups where id = ?", acmeSales).Scan(&found).Error,
		"raw statement":  db.Exec("update player_groups set name = 'x' where id = ?", acmeSales).Error,
		"in transaction": db.Transaction(func(tx *gorm.DB) error { return tx.Find(&found).Error }),
	} {
		require.ErrorIs(t, err, postgres.ErrNoTenant, name)
	}
	require.Empty(t, found)
	require.Nil(t, db.Model(&playerGroup{}).Select("name").Row())
	require.Nil(t, db.Raw("select name from player_groups where id = ?", acmeSales).Row())
}

// A statement with Tenant reads and changes rows of the organisation, whatever its other conditions are.
func TestTenantAddsTheOrganisation(t *testing.T) {
	db, rows := newGroups(t)
	mine := func() *gorm.DB { return db.Scopes(postgres.Tenant(acme)) }
	for name, q := range map[string]*gorm.DB{
		"text":  mine().Where("name = ? or true", "Sales"),
		"or":    mine().Where("name = ?", "x").Or("true"),
		"alias": mine().Table("player_groups g").Where("g.name = ?", "Sales"),
		"join":  mine().Select("player_groups.*").Joins("join organisations o on o.id = player_groups.org_id"),
		"raw":   db.Raw("select * from player_groups where org_id = ?", acme),
	} {
		var found []playerGroup
		require.NoError(t, q.Find(&found).Error, name)
		require.Equal(t, rows[:1], found, name)
	}
	require.Equal(t, int64(1), mine().Model(&playerGroup{}).Where("name = ?", "x").Or("true").Update("name", "y").RowsAffected)
	require.Equal(t, int64(1), mine().Where("name = ?", "y").Or("true").Delete(&playerGroup{}).RowsAffected)

	var found []playerGroup
	require.NoError(t, db.Scopes(postgres.AcrossTenants("a test")).Find(&found).Error)
	require.Equal(t, rows[1:], found)
}
