package staging_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/staging"
	"dg/platform/testkit/pgtest"
)

// ships are staged, and refer to ports; both are stored as well.
var (
	portKind = staging.Kind{Noun: "port", Stored: "ports"}
	shipKind = staging.Kind{Noun: "ship", Stored: "ships"}
)

type bundle struct {
	t            *testing.T
	tx           pgx.Tx
	stage        *staging.Stage
	ports, ships *staging.Table
}

// setup stores a port and a ship, and declares the temporary tables of both in a transaction.
func setup(t *testing.T) *bundle {
	t.Helper()
	tx, err := pgtest.New(t).Owner.Pool.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(t.Context()) })
	stage := staging.New(tx)
	b := &bundle{t: t, tx: tx, stage: stage,
		ports: stage.Table(portKind, "id uuid, name text"),
		ships: stage.Table(shipKind, "id uuid, port_id uuid, name text"),
	}
	b.exec(
		`create table ports (id uuid primary key,
			name text); create table ships (id uuid primary key, port_id uuid, name text)`,
	)
	b.exec(`insert into ports values ($1, 'Bergen')`, id("bergen"))
	b.exec(`insert into ships values ($1, $2, 'Ada')`, id("ada"), id("bergen"))
	require.NoError(t, stage.Create(t.Context()))
	return b
}

func id(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)) }

func (b *bundle) exec(sql string, args ...any) {
	b.t.Helper()
	_, err := b.tx.Exec(b.t.Context(), sql, args...)
	require.NoError(b.t, err)
}

func (b *bundle) flush() {
	b.t.Helper()
	require.NoError(b.t, b.stage.Flush(b.t.Context()))
}

// ship is a ship in the file: its line, the names of its id and of its port's id, and its own name.
type ship struct {
	line           int64
	id, port, name string
}

// add stages ships.
func (b *bundle) add(ships ...ship) {
	b.t.Helper()
	for _, s := range ships {
		b.ships.Add(s.line, id(s.id), id(s.port), s.name)
	}
	b.flush()
}

// one reads a single value as text; null is empty.
func (b *bundle) one(sql string) (value string) {
	b.t.Helper()
	require.NoError(b.t,
		b.tx.QueryRow(b.t.Context(), "select coalesce(("+sql+")::text, '')").Scan(&value))
	return value
}
