package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/pgtest"
)

// migrating makes databases to migrate.
type migrating struct {
	*testing.T
	shared *pgtest.Database
	conn   *apptest.AdminDB
	made   int
}

// create makes a database as the deployment's script does.
func (m *migrating) create() (name string) {
	m.made++
	name = fmt.Sprintf("test_%d_migrate_%d", os.Getpid(), m.made)
	m.conn.Do(m.T, `create database `+name+` template template0 owner dg_owner`)
	m.Cleanup(func() { m.conn.Do(m.T, `drop database `+name+` with (force)`) })
	m.in(name, func(conn *pgx.Conn) {
		_, err := conn.Exec(m.Context(), `revoke create on schema public from public`)
		require.NoError(m, err)
	})
	return name
}

// at is the URL of a database.
func (m *migrating) at(connection, name string) string {
	u, err := url.Parse(connection)
	require.NoError(m, err)
	u.Path = "/" + name
	return u.String()
}

func (m *migrating) in(name string, work func(*pgx.Conn)) {
	conn, err := pgx.Connect(m.Context(), apptest.AsSuperuser(m.T, m.at(m.shared.URL, name)))
	require.NoError(m, err)
	work(conn)
	require.NoError(m, conn.Close(m.Context()))
}

// begin starts dg migrate.
func (m *migrating) begin(name string) *apptest.Child {
	return apptest.Launch(m.T, "migrate", "--database-url", m.at(m.shared.URL, name),
		"--migrate-database-url", m.at(m.shared.OwnerURL, name))
}

// schema lists relations, columns, constraints, indexes, triggers and functions with their rights,
// and the recorded versions.
const schema = `with parts(part) as (
	select concat_ws(' ', 'relation', c.oid::regclass, c.relkind, c.relpersistence, pg_get_userbyid(c.relowner),
		(select string_agg(a::text, ',' order by a::text) from unnest(c.relacl) a)) from pg_class c
		  where relnamespace = 'public'::regnamespace
	union all select concat_ws(' ', 'column', attrelid::regclass, attname, format_type(atttypid,
	  atttypmod), attnotnull, attacl::text,
		(select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = attrelid and adnum = attnum))
		from pg_attribute where attnum > 0 and attrelid in (select oid from pg_class
		  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v'))
	union all select concat_ws(' ', 'constraint', conrelid::regclass, conname,
	  pg_get_constraintdef(oid)) from pg_constraint where connamespace = 'public'::regnamespace
	union all select indexdef from pg_indexes where schemaname = 'public'
	union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
	union all select concat_ws(' ', 'function', oid::regprocedure, md5(pg_get_functiondef(oid)),
	  proacl::text) from pg_proc where pronamespace = 'public'::regnamespace
	union all select concat_ws(' ', 'version', version_id, count(*)) from dg_schema_versions group by version_id
) select string_agg(part, E'\n' order by part) from parts`

func (m *migrating) schema(name string) (text string) {
	m.in(name, func(conn *pgx.Conn) {
		require.NoError(m, conn.QueryRow(m.Context(), schema).Scan(&text))
	})
	return text
}

// rules.md, Data; CONTRIBUTING.md, Add a migration: a second dg migrate leaves the catalogues as they
// were. Two at once both succeed, and the schema is that of one alone. If one is killed at any
// moment, the next one completes the schema.
func TestMigrationsAtOnceAndKilled(t *testing.T) {
	t.Parallel()
	m := &migrating{T: t, shared: pgtest.New(t)}
	m.conn = apptest.AdminDBAt(t, m.shared.URL)
	alone := m.create()
	_, err := apptest.Binary() // built now, and not while it is timed
	require.NoError(t, err)
	begun := time.Now()
	require.Zero(t, m.begin(alone).Status(time.Minute))
	took := time.Since(begun)
	want := m.schema(alone)
	require.Greater(t, strings.Count(want, "\n"), 100)
	require.Zero(t, m.begin(alone).Status(time.Minute))
	require.Equal(t, want, m.schema(alone), "again")
	for round := range apptest.Sized(2, 20, 100) {
		name := m.create()
		first := m.begin(name)
		second := m.begin(name)
		if round%2 == 1 {
			<-time.After(rand.N(took)) // a moment of the run
			_ = first.Process.Kill()   // unless it has ended
		} else {
			require.Zero(t, first.Status(time.Minute), "%s", first.Log.String())
		}
		require.Zero(t, second.Status(time.Minute), "%s", second.Log.String())
		require.Equal(t, want, m.schema(name), "round %d", round)
	}
}
