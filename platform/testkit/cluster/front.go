package cluster

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
)

// poolerConfig is PgBouncer's: transaction mode, towards one server.
const poolerConfig = `[databases]
dg = host=%s port=5432
[pgbouncer]
listen_addr = %s
listen_port = 6432
unix_socket_dir =
auth_type = scram-sha-256
auth_file = users.txt
admin_users = postgres
pool_mode = transaction
max_client_conn = 500
default_pool_size = 40
server_login_retry = 1
server_connect_timeout = 2
`

// startPooler starts PgBouncer in front of the primary.
func (c *Cluster) startPooler() {
	c.t.Helper()
	var users strings.Builder
	for _, role := range []string{"postgres", "dg_owner", "dg_app"} {
		fmt.Fprintf(&users, "%q %q\n", role, c.password)
	}
	c.write("pgbouncer", "users.txt", users.String())
	c.Pooler = c.start("pgbouncer", nil, find(c.t, "pgbouncer", "pgbouncer"), c.poolTo(c.DB[0]))
	c.awaitURL("pgbouncer", c.Pooler, c.PoolerURL("dg_app"))
}

func (c *Cluster) poolTo(s *Server) (config string) {
	return c.write("pgbouncer", "pgbouncer.ini",
		fmt.Sprintf(poolerConfig, s.Host, c.host(poolerHost)))
}

// PoolTo leads PgBouncer to another server after a promotion: by its configuration and RELOAD.
func (c *Cluster) PoolTo(s *Server) {
	c.t.Helper()
	c.poolTo(s)
	require.NoError(c.t, c.Pooler.cmd.Process.Signal(syscall.SIGHUP))
}

// PoolerURL connects as the role through PgBouncer.
func (c *Cluster) PoolerURL(role string) string {
	return c.url(role, "dg", c.host(poolerHost)+":6432")
}

// startProxy starts haproxy before the instances, with the example of configs/deploy.
func (c *Cluster) startProxy() {
	c.t.Helper()
	example, err := os.ReadFile(filepath.Join(root(), "configs", "deploy", "haproxy.cfg"))
	require.NoError(c.t, err)
	var servers strings.Builder
	for _, i := range c.Instances {
		fmt.Fprintf(&servers, "    server %s %s check\n", i.Name,
			strings.TrimPrefix(i.URL, "http://"))
	}
	address := strings.TrimPrefix(c.ProxyURL(), "http://")
	config := strings.NewReplacer("bind :443 ssl crt /etc/haproxy/dg.example.org.pem",
		"bind "+address,
		"    server dg 127.0.0.1:8080 check\n", servers.String()).Replace(string(example))
	c.Proxy = c.start("haproxy", nil, find(c.t, "haproxy", "haproxy"), "-db", "-f",
		c.write("haproxy", "haproxy.cfg", config))
	c.awaitHTTP("haproxy", c.Proxy, c.ProxyURL()+"/readyz")
}

// ProxyURL is where clients reach the cluster.
func (c *Cluster) ProxyURL() string { return "http://" + c.host(proxyHost) + ":8080" }

// Instance is a dg.
type Instance struct {
	*Process
	Name, URL, OpsURL string
	settings          []string
}

// Start starts the instance and waits until it is ready.
func (c *Cluster) Start(i *Instance) {
	c.t.Helper()
	environment := append([]string{
		"DG_ADDR=" + strings.TrimPrefix(i.URL, "http://"),
		"DG_OPS_ADDR=" + strings.TrimPrefix(i.OpsURL, "http://"),
		"DG_BASE_URL=" + c.ProxyURL(), "DG_TRUSTED_PROXIES=127.0.0.1/32",
	}, i.settings...)
	i.Process = c.start(i.Name, func(cmd *exec.Cmd) {
		cmd.Env = append(cmd.Env, environment...)
	}, c.program, "serve")
	c.awaitHTTP(i.Name, i.Process, i.URL+"/readyz")
}

func (c *Cluster) awaitHTTP(name string, p *Process, url string) {
	c.t.Helper()
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	until(c.t, time.Minute, func() string {
		return name + " does not answer\n" + p.Log()
	}, func() bool {
		require.True(c.t, p.Running(), "%s", p.Log())
		response, err := client.Get(url) //nolint:noctx // the client has a bound
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
}

// root is the repository: a test runs in the folder of its package.
func root() string {
	dir, _ := os.Getwd()
	for path := dir; path != filepath.Dir(path); path = filepath.Dir(path) {
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
			return path
		}
	}
	return dir
}
