package doctor

import (
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"dg/platform/config"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// A wrong clock, a full disk, a server that may lose commits, and an ops address for every network result in warnings.
func TestClockDiskAndOpsAddressAreChecked(t *testing.T) {
	db := pgtest.New(t)
	sql := tb.Must(queries.ReadFile("sql/database.sql"))(t)
	for behind, faults := range map[time.Duration]int{time.Second: 1, 6 * time.Second: 2} {
		rows := tb.Must(db.Owner.Pool.Query(t.Context(), string(sql),
			pgx.NamedArgs{"now": time.Now().Add(-behind), "owner": "dg_owner"}))(t)
		found := tb.Must(pgx.CollectRows(rows, pgx.RowToMap))(t)
		require.Len(t, found, faults, "%v", found)
		require.Contains(t, fmt.Sprint(found), "fsync, full_page_writes, synchronous_commit is off")
	}
	const gib = 1 << 30
	require.Empty(t, checkFreeSpace(gib))
	require.Len(t, checkFreeSpace(gib-1), 1)
	for address, warnings := range map[string]int{"0.0.0.0:1": 1, ":1": 1, "[::]:1": 1, "127.0.0.1:1": 0, "dg:1": 0} {
		s := &Installation{Serve: config.Serve{OpsAddr: address, Address: config.Address{Addr: "127.0.0.1:1"}}}
		said, _ := checkSettings(t.Context(), s)
		require.Len(t, said, warnings, address)
	}
}

// Each missing or changed key is reported with a statement that restores it. The list of keys matches the migrations.
func TestMissingKeysAreRenewed(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := &Installation{db: db.Owner}
	run := func(sql string) {
		require.NoError(t, tb.ErrorOf(db.Owner.Pool.Exec(t.Context(), sql)), sql)
	}
	const keys = `(select array_agg(format('%s|%s|%s', conrelid::regclass, conname, pg_get_constraintdef(oid))
		order by conname) from pg_constraint where connamespace = 'public'::regnamespace and conparentid = 0
		and conrelid not in (0, 'dg_schema_versions'::regclass) and contype in ('p', 'u', 'f'))`
	run(`create table former as select ` + keys + ` as keys`)
	tb.Must(checkSchema(t.Context(), s))(t)
	run(`do $$ declare k record; begin
		for k in select split_part(key, '|', 1) as of, split_part(key, '|', 2) as name from former, unnest(keys) key
		loop
			execute format('alter table %s drop constraint if exists %s cascade', k.of, k.name);
		end loop; end $$;
		alter table games add constraint games_pkey unique (id);
		insert into recovery_codes values (gen_random_uuid(), sha256('code'))`)
	_, err := checkSchema(t.Context(), s)
	require.ErrorContains(t, err, "the key plays_org_id_player_fkey is missing or changed")
	for _, advice := range regexp.MustCompile(`(?m)tables: (.*)$`).FindAllStringSubmatch(err.Error(), -1) {
		run(advice[1])
	}
	tb.Must(checkSchema(t.Context(), s))(t)
	run(`do $$ begin assert (select keys from former) = ` + keys + ` and not exists (select from recovery_codes),
		'constraints.sql lacks a key'; end $$`)
}

// A refused connection is reported with advice, even for causes that no test can produce.
func TestRefusedConnectionsAreExplained(t *testing.T) {
	t.Parallel()
	for advice, err := range map[string]error{
		"is still meant, run as a superuser: alter role {role} valid until 'infinity'": &pgconn.PgError{Code: "28P01"},
		"let pg_hba.conf admit it":                   &pgconn.PgError{Code: "28000", Routine: "ClientAuthentication"},
		"set DG_DATABASE_POOLER to transaction":      &pgconn.PgError{Code: "42P05"},
		"raise max_connections":                      &pgconn.PgError{Code: "53300", Routine: "InitProcess"},
		"wait until PostgreSQL has started":          &pgconn.PgError{Code: "57P03"},
		"free some room on the disk of the database": &pgconn.PgError{Code: "53100"},
	} {
		require.ErrorContains(t, explain(fmt.Errorf("open: %w", err)), advice)
	}
	for mode, advice := range map[string]string{
		"require":     "set ssl = on in postgresql.conf; a server on this machine",
		"verify-full": "add sslrootcert=FILE to the URL",
	} {
		server := httptest.NewUnstartedServer(nil)
		server.Listener = startTLSListener{server.Listener, mode == "require"}
		server.StartTLS()
		t.Cleanup(server.Close)
		_, err := postgres.Open(t.Context(), "postgres://dg@"+server.Listener.Addr().String()+"/dg?sslmode="+mode,
			postgres.Options{})
		require.ErrorContains(t, explain(err), advice)
		require.NotContains(t, explain(err).Error(), "prefer", "which a remote server would answer in the clear")
	}
}

// startTLSListener accepts a PostgreSQL client's request for TLS, or refuses it if refuses is set.
type startTLSListener struct {
	net.Listener
	refuses bool
}

func (l startTLSListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	_, _ = io.ReadFull(conn, make([]byte, 8))
	_, err = io.WriteString(conn, map[bool]string{true: "N", false: "S"}[l.refuses])
	return conn, err
}
