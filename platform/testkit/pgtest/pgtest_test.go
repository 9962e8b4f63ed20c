package pgtest

import (
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// A test has an empty database with the rights of the serving role, which ends with the test.
func TestDatabaseIsDroppedWithItsTest(t *testing.T) {
	t.Parallel()
	schema := fstest.MapFS{
		"1_first.sql":       {Data: []byte("-- +goose Up\ncreate table things (id int primary key);")},
		"grants/things.sql": {Data: []byte("grant select, insert on things to :role;")},
	}
	var left []string
	t.Run("many", func(t *testing.T) {
		for range 3 {
			db := From(t, schema)
			left = append(left, db.URL)
			_, err := db.DB.Pool.Exec(t.Context(), `insert into things values (1)`)
			require.NoError(t, err)
			_, err = db.DB.Pool.Exec(t.Context(), `delete from things`)
			require.ErrorContains(t, err, "permission denied")
		}
	})
	for _, url := range left {
		_, err := pgx.Connect(t.Context(), url)
		require.ErrorContains(t, err, "does not exist")
	}
}
