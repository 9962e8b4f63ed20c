package pgtest

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// A test has a migrated database of its own, which ends with the test.
func TestDatabaseIsDroppedWithItsTest(t *testing.T) {
	t.Parallel()
	var left []string
	t.Run("many", func(t *testing.T) {
		for range 3 {
			db := New(t)
			left = append(left, db.URL)
			_, err := db.Owner.Pool.Exec(t.Context(),
				`insert into games (id, slug, title) values (gen_random_uuid(), 'one', 'Its only game')`)
			require.NoError(t, err)
		}
	})
	for _, url := range left {
		_, err := pgx.Connect(t.Context(), url)
		require.ErrorContains(t, err, "does not exist")
	}
}
