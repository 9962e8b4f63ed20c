package cluster

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// Server is a PostgreSQL server.
type Server struct {
	*Process
	Name, Host string
	c          *Cluster
	pool       *pgxpool.Pool // a superuser's, for the tests
}

// A standby streams from whichever server is the primary.
func (c *Cluster) primaryConnection(name string) string {
	return fmt.Sprintf("host=%s port=5432 user=postgres password=%s application_name=%s "+
		"target_session_attrs=read-write connect_timeout=2",
		strings.Join(c.hosts(), ","), c.password, name)
}

// settings of a server. Those of shared memory leave nothing outside the folder.
func (s *Server) settings() map[string]string {
	return map[string]string{
		"port":                        "5432",
		"listen_addresses":            s.Host,
		"unix_socket_directories":     "",
		"max_connections":             "200",
		"shared_buffers":              "128MB",
		"max_wal_size":                "2GB",
		"wal_keep_size":               "512MB",
		"dynamic_shared_memory_type":  "mmap",
		"hot_standby_feedback":        "on",
		"max_standby_streaming_delay": "10s",
		"wal_receiver_timeout":        "3s",
		"wal_sender_timeout":          "3s",
		"wal_retrieve_retry_interval": "200ms",
		"synchronous_standby_names":   "ANY 1 (db1, db2, db3)",
		"primary_conninfo":            s.c.primaryConnection(s.Name),
	}
}

func (s *Server) data() string { return filepath.Join(s.c.dir, s.Name, "data") }

// create makes the data of the first primary. Passwords are asked for, since the addresses are the
// whole machine's.
func (s *Server) create() {
	s.c.t.Helper()
	password := s.c.write(s.Name, "password", s.c.password)
	s.c.run(s.Name, filepath.Join(s.c.programs, "initdb"), "-D", s.data(), "--username=postgres",
		"--pwfile="+password, "--auth=scram-sha-256",
		"--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions", "--no-sync")
	hba := fmt.Sprintf(
		"host all,replication all %s/16 scram-sha-256\nhost all,replication all 127.0.0.1/32 scram-sha-256\n",
		s.Host,
	)
	s.c.write(s.Name, filepath.Join("data", "pg_hba.conf"), hba)
}

// Copy makes the data anew, as a standby of the primary.
func (s *Server) Copy() {
	s.c.t.Helper()
	s.c.run(s.Name, "rm", "-rf", s.data()+".old")
	s.c.run(s.Name, "sh", "-c", `[ ! -e data ] || mv data data.old`)
	s.c.run(s.Name, filepath.Join(s.c.programs, "pg_basebackup"), "-D", s.data(),
		"--checkpoint=fast", "--no-sync",
		"-d", s.c.primaryConnection(s.Name))
	s.BecomeStandby()
}

// BecomeStandby has the stopped server start as a standby.
func (s *Server) BecomeStandby() {
	s.c.run(s.Name, "touch", filepath.Join(s.data(), "standby.signal"))
}

// Start starts the server, with other settings where some are given as name=value, and waits until
// it answers.
func (s *Server) Start(other ...string) {
	s.c.t.Helper()
	settings := s.settings()
	args := []string{"-D", s.data()}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	for _, setting := range other {
		args = append(args, "-c", setting)
	}
	s.Process = s.c.start(s.Name, nil, filepath.Join(s.c.programs, "postgres"), args...)
	s.c.awaitURL(s.Name, s.Process, s.c.url("postgres", "postgres", s.Host+":5432"))
}

// Shut stops the server in order.
func (s *Server) Shut() {
	s.c.t.Helper()
	s.Stop(syscall.SIGINT)
}

// URL connects as the role to this server alone.
func (s *Server) URL(role string) string { return s.c.url(role, "dg", s.Host+":5432") }

// Pool connects as a superuser.
func (s *Server) Pool() *pgxpool.Pool {
	s.c.t.Helper()
	if s.pool == nil {
		var err error
		s.pool, err = pgxpool.New(context.Background(), s.URL("postgres"))
		require.NoError(s.c.t, err)
		s.c.t.Cleanup(s.pool.Close)
	}
	return s.pool
}

// Exec runs statements as a superuser.
func (s *Server) Exec(sql string, args ...any) {
	s.c.t.Helper()
	_, err := s.Pool().Exec(context.Background(), sql, args...)
	require.NoError(s.c.t, err)
}

// Read reads one value as a superuser.
func Read[T any](s *Server, sql string, args ...any) (value T) {
	s.c.t.Helper()
	require.NoError(s.c.t, s.Pool().QueryRow(context.Background(), sql, args...).Scan(&value))
	return value
}

// Pause stops a standby's replay, and Resume lets it go on.
func (s *Server) Pause() {
	s.c.t.Helper()
	s.Exec(`select pg_wal_replay_pause()`)
	until(s.c.t, 10*time.Second, func() string { return "replay is not paused" }, func() bool {
		return Read[string](s, `select pg_get_wal_replay_pause_state()`) == "paused"
	})
}

// Resume ends Pause.
func (s *Server) Resume() { s.Exec(`select pg_wal_replay_resume()`) }

// Promote makes a standby a primary.
func (s *Server) Promote() {
	s.c.t.Helper()
	require.True(s.c.t, Read[bool](s, `select pg_promote()`))
}

// CaughtUp waits until the standby has replayed what the primary has written.
func (s *Server) CaughtUp(primary *Server) {
	s.c.t.Helper()
	position := Read[string](primary, `select pg_current_wal_flush_lsn()::text`)
	until(s.c.t, time.Minute, func() string {
		return s.Name + " does not catch up\n" + s.Log()
	}, func() bool {
		return Read[bool](s, `select coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false)`,
			position)
	})
}

// url connects as the role to the first of the addresses that takes writes, or to the only one.
func (c *Cluster) url(role, database string, addresses ...string) string {
	u := url.URL{
		Scheme: "postgres",
		User:   url.UserPassword(role, c.password),
		Host:   strings.Join(addresses, ","),
		Path:   "/" + database,
	}
	query := url.Values{"sslmode": {"disable"}}
	if len(addresses) > 1 {
		query.Set("target_session_attrs", "read-write")
	}
	u.RawQuery = query.Encode()
	return u.String()
}
