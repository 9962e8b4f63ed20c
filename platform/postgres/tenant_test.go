package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

type playerGroup struct {
	ID    string
	OrgID string
	Name  string
}

// Statements on an organisation's table name the organisation (design.md, Isolation), or are refused.
func TestStatementsWithoutAnOrganisationAreRefused(t *testing.T) {
	db := pgtest.New(t).Owner.Gorm.WithContext(t.Context())
	const acme, beta = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
	require.NoError(t, db.Exec(`insert into organisations (id, slug, name, plan, reporting_mode) values (?, 'acme', 'Acme', 'pro', 'pseudonymous'), (?, 'beta', 'Beta', 'pro', 'pseudonymous')`, acme, beta).Error)
	rows := []playerGroup{
		{ID: "00000000-0000-4000-8000-000000000001", OrgID: acme, Name: "Sales"},
		{ID: "00000000-0000-4000-8000-000000000002", OrgID: beta, Name: "Sales"},
	}
	require.NoError(t, db.Create(&rows).Error)

	var found []playerGroup
	require.ErrorIs(t, db.Where("name = ?", "Sales").Find(&found).Error, postgres.ErrNoTenant)
	require.ErrorIs(t, db.Scopes(postgres.Tenant("")).Find(&found).Error, postgres.ErrNoTenant)
	require.ErrorIs(t, db.Model(&playerGroup{}).Where("name = ?", "Sales").Update("name", "x").Error, postgres.ErrNoTenant)
	require.ErrorIs(t, db.Where("name = ?", "Sales").Delete(&playerGroup{}).Error, postgres.ErrNoTenant)
	require.ErrorIs(t, db.Create(&[]playerGroup{{ID: rows[0].ID, OrgID: acme}, {ID: rows[1].ID}}).Error, postgres.ErrNoTenant)

	require.NoError(t, db.Scopes(postgres.Tenant(acme)).Where("name = ? or true", "Sales").Find(&found).Error)
	require.Equal(t, rows[:1], found)
	require.NoError(t, db.Scopes(postgres.Tenant(acme)).Where("false").Or("name = ?", "Sales").Find(&found).Error)
	require.Equal(t, rows[:1], found)
	require.NoError(t, db.Scopes(postgres.Tenant(acme)).Where("name = ?", "Sales").Or("false").Find(&found).Error)
	require.Equal(t, rows[:1], found)
	require.Equal(t, int64(1), db.Scopes(postgres.Tenant(acme)).Where("name = ?", "Sales").Delete(&playerGroup{}).RowsAffected)
	require.NoError(t, db.Scopes(postgres.AcrossTenants("a test")).Find(&found).Error)
	require.Equal(t, rows[1:], found)
}
