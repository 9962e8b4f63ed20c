package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

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
