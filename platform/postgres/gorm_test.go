package postgres_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
	"dg/platform/testkit/pgtest"
)

type fruit struct{ Name string }

func (fruit) TableName() string { return "fruit" }

// A program continues while a newer one migrates (doc.go, Migrations): its prepared statements
// outlive a new column.
func TestStatementsOutliveANewColumn(t *testing.T) {
	owner := pgtest.New(t).Owner
	_, err := owner.Pool.Exec(t.Context(), `create table fruit (name text)`)
	require.NoError(t, err)
	require.NoError(t, owner.Gorm.WithContext(t.Context()).Connection(func(db *gorm.DB) error {
		for _, sql := range []string{
			`alter table fruit add colour text`, `alter table fruit add taste text`,
		} {
			require.NoError(t, db.Find(&[]fruit{}).Error)
			_, err := owner.Pool.Exec(t.Context(), sql)
			require.NoError(t, err)
		}
		return db.Find(&[]fruit{}).Error
	}))
}

// The server's log shows which function sent a statement.
type playerGroup struct{ ID, OrgID, Name string }

func (playerGroup) TableName() string { return "player_groups" }

func TestStatementsBeginWithTheirTag(t *testing.T) {
	db := pgtest.New(t).Owner.Gorm.Session(&gorm.Session{DryRun: true, Context: t.Context()})
	const acme = "00000000-0000-4000-8000-00000000000a"
	in := func() *gorm.DB { return db.Scopes(postgres.Tag("org.groups"), tenant.Scope(acme)) }
	row := playerGroup{OrgID: acme}
	for begin, statement := range map[string]*gorm.DB{
		`/* org.groups */ SELECT "player_groups"."id",`:  in().Find(&[]playerGroup{}),
		`/* org.groups */ SELECT "name" FROM`:            in().Model(&row).Select("name").Find(&[]string{}),
		`/* org.groups */ SELECT count(*) FROM`:          in().Model(&row).Count(new(int64)),
		`/* org.groups */ UPDATE "player_groups" SET`:    in().Model(&row).Update("name", "x"),
		`/* org.groups */ DELETE FROM "player_groups"`:   in().Delete(&playerGroup{}),
		`/* org.groups */ INSERT INTO "player_groups" (`: in().Create(&row),
	} {
		require.NoError(t, statement.Error)
		require.True(t, strings.HasPrefix(statement.Statement.SQL.String(), begin),
			statement.Statement.SQL.String())
	}
}
