package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

// The roles of the embedded server.
const (
	superuser   = "postgres"
	ownerRole   = "dg_owner"
	servingRole = "dg_app"
)

// newDatabase makes an empty database. It returns the URLs of the serving role and of the owner.
func newDatabase(t *testing.T) (serving, owner string) {
	db := pgtest.Empty(t)
	return db.URL, db.OwnerURL
}

// open opens a pool on an empty database of its own.
func open(t *testing.T, options postgres.Options) *postgres.DB {
	serving, _ := newDatabase(t)
	return pgtest.Open(t, serving, options)
}

// mentions fails unless the error contains every one of the words.
func mentions(t *testing.T, err error, words ...string) {
	for _, word := range words {
		require.ErrorContains(t, err, word)
	}
}
