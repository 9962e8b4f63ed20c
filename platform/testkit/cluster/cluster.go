package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/embeddedpg"
)

// Cluster is a running cluster.
type Cluster struct {
	folder
	DB        []*Server // the first is the primary at the beginning
	Pooler    *Process
	Instances []*Instance
	Proxy     *Process
	programs  string // folder of PostgreSQL's
	program   string // dg
	password  string // of every role
	network   string // the first two bytes of the addresses
}

// The last byte of the addresses of servers.
const (
	dbHost     = 1
	poolerHost = 10
	dgHost     = 11
	proxyHost  = 20
)

// New starts the databases and PgBouncer with the schema of the program dg. Serve starts the rest.
func New(t testing.TB, program string) *Cluster {
	t.Helper()
	for _, tool := range []string{"pgbouncer", "haproxy"} {
		find(t, tool, tool)
	}
	c := &Cluster{folder: newFolder(t), password: rand.Text()}
	var err error
	c.programs, err = embeddedpg.FindProgram(t.Context(), c.dir, "postgres")
	require.NoError(t, err)
	c.program = c.copyProgram(program)
	// Unusual addresses, whose ports no outgoing connection of another program takes.
	c.network = fmt.Sprintf("127.%d.%d", 64+os.Getpid()>>8&127, os.Getpid()&255)
	for n := range 3 {
		c.DB = append(c.DB, &Server{Name: fmt.Sprintf("db%d", n+1), Host: c.host(dbHost + n), c: c})
	}
	c.startDatabases()
	c.startPooler()
	return c
}

func (c *Cluster) host(last int) string { return fmt.Sprintf("%s.%d", c.network, last) }

func (c *Cluster) hosts() (hosts []string) {
	for _, s := range c.DB {
		hosts = append(hosts, s.Host)
	}
	return hosts
}

func (c *Cluster) startDatabases() {
	c.t.Helper()
	primary := c.DB[0]
	primary.create()
	primary.Start("synchronous_standby_names=")
	c.makeRoles(primary)
	migrate := c.command("bin", c.program, "migrate")
	migrate.Env = append(migrate.Env, "DG_DATABASE_URL="+primary.URL("dg_app"),
		"DG_MIGRATE_DATABASE_URL="+primary.URL("dg_owner"))
	out, err := migrate.CombinedOutput()
	require.NoError(c.t, err, "%s", out)
	for _, s := range c.DB[1:] {
		s.Copy()
		s.Start()
	}
	primary.Shut()
	primary.Start() // from now on commits wait for a standby
}

// makeRoles runs the script of configs/deploy.
func (c *Cluster) makeRoles(s *Server) {
	c.t.Helper()
	cmd := exec.CommandContext(context.Background(), "sh",
		filepath.Join(root(), "configs", "deploy", "roles.sh"))
	cmd.Env = append(os.Environ(), "PATH="+c.programs+":"+os.Getenv("PATH"), "PGHOST="+s.Host,
		"PGPORT=5432", "PGUSER=postgres",
		"PGPASSWORD="+c.password, "OWNER_PASSWORD="+c.password, "APP_PASSWORD="+c.password)
	out, err := cmd.CombinedOutput()
	require.NoError(c.t, err, "%s", out)
}

// URL connects as the role to whichever server takes writes.
func (c *Cluster) URL(role string) string {
	var addresses []string
	for _, host := range c.hosts() {
		addresses = append(addresses, host+":5432")
	}
	return c.url(role, "dg", addresses...)
}

// Serve starts three instances with the settings, after ending those that run, and haproxy.
func (c *Cluster) Serve(settings func(n int) []string) {
	c.t.Helper()
	for _, i := range c.Instances {
		if i.Running() {
			i.Stop(syscall.SIGTERM)
		}
	}
	c.Instances = nil
	for n := range 3 {
		host := c.host(dgHost + n)
		i := &Instance{
			Name:     fmt.Sprintf("dg%d", n+1),
			URL:      "http://" + host + ":8080",
			OpsURL:   "http://" + host + ":8081",
			settings: settings(n),
		}
		c.Instances = append(c.Instances, i)
		c.Start(i)
	}
	if c.Proxy == nil {
		c.startProxy()
	}
}

func (c *Cluster) awaitURL(name string, p *Process, url string) {
	c.t.Helper()
	until(c.t, time.Minute, func() string {
		return name + " does not answer\n" + p.Log()
	}, func() bool {
		require.True(c.t, p.Running(), "%s", p.Log())
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		conn, err := pgx.Connect(ctx, url)
		return err == nil && conn.Close(ctx) == nil
	})
}
