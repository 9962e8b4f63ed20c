package pgtest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// BouncerIgnoresSettings makes PgBouncer drop dg's session settings. Otherwise it refuses them.
const BouncerIgnoresSettings = "ignore_startup_parameters = " +
	"tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,tcp_user_timeout," +
	"client_connection_check_interval,default_transaction_isolation,default_transaction_read_only,jit," +
	"search_path,statement_timeout,lock_timeout," +
	"idle_in_transaction_session_timeout,idle_session_timeout"

const bouncerConfiguration = `[databases]
* = host=%[1]s port=5432
[pgbouncer]
pool_mode = transaction
listen_addr =
unix_socket_dir = %[2]s
auth_type = trust
auth_file = %[2]s/users
admin_users = postgres
max_client_conn = 1000
`

// StartBouncer starts PgBouncer in transaction mode in front of a URL's server. lines are added to its configuration;
// %[1]s in them is the folder of the server's socket. viaBouncer turns a URL of the server into one of PgBouncer.
func StartBouncer(t testing.TB, serverURL string, lines ...string) (viaBouncer func(databaseURL string) string) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %v (Debian: apt-get install pgbouncer)", err)
	}
	u, err := url.Parse(serverURL)
	require.NoError(t, err)
	socket := u.Query().Get("host")
	dir, err := os.MkdirTemp("", "dg-bouncer-")
	require.NoError(t, err)
	config := fmt.Sprintf(bouncerConfiguration+strings.Join(lines, "\n"), socket, dir)
	require.NoError(t, os.WriteFile(dir+"/ini", []byte(config), 0o644))
	// these roles may connect without a password, as on the server's socket
	users := []byte("\"dg_app\" \"\"\n\"dg_owner\" \"\"\n\"postgres\" \"\"\n")
	require.NoError(t, os.WriteFile(dir+"/users", users, 0o644))
	// The shell stops PgBouncer when the pipe closes, which also happens if this process is killed.
	cmd := exec.CommandContext(context.Background(), "sh", "-c",
		`"$1" -q ini >log 2>&1 & read x; kill $!; wait; rm -rf "$PWD"`, "sh", program)
	cmd.Dir = dir
	info, err := os.Stat(socket)
	require.NoError(t, err)
	serverUser := info.Sys().(*syscall.Stat_t) // the server's user, because PgBouncer refuses to run as root
	require.NoError(t, os.Chown(dir, int(serverUser.Uid), int(serverUser.Gid)))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: serverUser.Uid, Gid: serverUser.Gid, NoSetGroups: true},
	}
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	require.Eventually(t, func() bool {
		//nolint:noctx // it is local
		conn, err := net.Dial("unix", filepath.Join(dir, ".s.PGSQL.6432"))
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, 10*time.Second, 5*time.Millisecond, "PgBouncer does not answer: see %s/log", dir)
	return func(databaseURL string) string { return tb.OnSocket(databaseURL, dir, "6432") }
}

// BouncerKeepsStatements reports whether PgBouncer keeps prepared statements by default, as from 1.24 on.
func BouncerKeepsStatements(t testing.TB) bool {
	var minor int
	out := tb.Must(exec.CommandContext(t.Context(), "pgbouncer", "--version").Output())(t)
	tb.Must(fmt.Sscanf(string(out), "PgBouncer 1.%d", &minor))(t)
	return minor >= 24
}

var roleDefaultsPattern = regexp.MustCompile(`(?m)^alter role dg_app in database dg (set .*;)$`)

// SetRoleDefaults applies the role settings of roles.sh to the URL's role, in the URL's database.
func SetRoleDefaults(t testing.TB, directURL string) {
	script, err := os.ReadFile("../../configs/deploy/roles.sh") // relative to app/system or platform/postgres
	require.NoError(t, err)
	database := tb.Query[string](t, directURL, `select quote_ident(current_database())`)
	for _, match := range roleDefaultsPattern.FindAllStringSubmatch(string(script), -1) {
		require.NoError(t, tb.Exec(t, directURL,
			"alter role current_user in database "+database+" "+match[1]))
	}
}
