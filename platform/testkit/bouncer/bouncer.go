// Package bouncer runs PgBouncer in transaction mode in front of a test's PostgreSQL, with the
// settings of Debian's package except for the server and its roles.
package bouncer

import (
	"context"
	"errors"
	"fmt"
	"io"
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

	"github.com/jackc/pgx/v5"
)

// Bouncer is a PgBouncer that runs.
type Bouncer struct {
	dir string
	cmd *exec.Cmd
	end io.Closer // ends it, as the end of this process does
}

// ErrMissing means that PgBouncer is not installed.
var ErrMissing = errors.New("PgBouncer is not installed (Debian: apt-get install pgbouncer)")

// users are the roles that may connect without a password, as on the server's socket.
const users = "\"dg_app\" \"\"\n\"dg_owner\" \"\"\n\"postgres\" \"\"\n"

// Ignored drops dg's session settings, which PgBouncer refuses otherwise.
const Ignored = "ignore_startup_parameters = " +
	"tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,tcp_user_timeout," +
	"client_connection_check_interval,default_transaction_isolation,default_transaction_read_only,jit," +
	"search_path,statement_timeout,lock_timeout," +
	"idle_in_transaction_session_timeout"

const startTimeout = 10 * time.Second

// Launch starts PgBouncer in front of the server with the socket folder, with further lines in its
// configuration. Errors: ErrMissing.
func Launch(socket string, lines ...string) (*Bouncer, error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		return nil, ErrMissing
	}
	dir, err := os.MkdirTemp("", "dg-bouncer-")
	if err != nil {
		return nil, err
	}
	config :=
		fmt.Sprintf("[databases]\n* = host=%s port=5432\n[pgbouncer]\npool_mode = "+
			"transaction\nlisten_addr =\nunix_socket_dir = %s\n"+
			"auth_type = trust\nauth_file = %s/users\nadmin_users = postgres\nmax_client_conn = "+
			"1000\n%s\n", socket, dir, dir, strings.Join(lines, "\n"))
	owner, err := os.Stat(socket)
	if err != nil {
		return nil, err
	}
	user := owner.Sys().(*syscall.Stat_t)
	if err := errors.Join(os.WriteFile(dir+"/ini", []byte(config), 0o644),
		os.WriteFile(dir+"/users", []byte(users), 0o644),
		os.Chown(dir, int(user.Uid), int(user.Gid))); err != nil {
		return nil, err
	}
	// The shell ends it with the pipe, which ends with this process, killed or not.
	cmd := exec.CommandContext(context.Background(), "sh", "-c",
		`"$1" -q ini >log 2>&1 & read x; kill $!; wait; rm -rf "$PWD"`, "sh", program)
	cmd.Dir = dir
	if os.Geteuid() == 0 { // PgBouncer refuses to be root
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: user.Uid, Gid: user.Gid},
		}
	}
	end, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b := &Bouncer{dir: dir, cmd: cmd, end: end}
	return b, b.untilItAnswers()
}

func (b *Bouncer) untilItAnswers() error {
	//nolint:forbidigo // a poll, bounded
	for begun := time.Now(); time.Since(begun) < startTimeout; time.Sleep(5 * time.Millisecond) {
		//nolint:noctx // it is local
		if conn, err := net.Dial("unix", filepath.Join(b.dir, ".s.PGSQL.6432")); err == nil {
			return conn.Close()
		}
	}
	log, _ := os.ReadFile(b.dir + "/log")
	return fmt.Errorf("PgBouncer does not answer: %s", log)
}

// Stop ends it and waits for its end.
func (b *Bouncer) Stop() {
	_ = b.end.Close()
	_ = b.cmd.Wait()
}

// URL is the connection through PgBouncer.
func (b *Bouncer) URL(connection string) string {
	u, err := url.Parse(connection)
	if err != nil {
		panic(err) // a test's own URL
	}
	query := u.Query()
	query.Set("host", b.dir)
	query.Set("port", "6432")
	u.Host = ""
	u.RawQuery = query.Encode()
	return u.String()
}

// Start runs PgBouncer until the test ends, and skips the test where it is not installed.
func Start(t testing.TB, socket string, lines ...string) *Bouncer {
	t.Helper()
	b, err := Launch(socket, lines...)
	if errors.Is(err, ErrMissing) {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	return b
}

var defaults = regexp.MustCompile(`(?m)^alter role dg_app in database dg (set .*;)$`)

// SetDefaults gives the URL's role the session settings of roles.sh, in the URL's database.
func SetDefaults(ctx context.Context, direct string) error {
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	for ; folder != "/"; folder = filepath.Dir(folder) {
		if _, err := os.Stat(folder + "/go.mod"); err == nil {
			break
		}
	}
	script, err := os.ReadFile(folder + "/configs/deploy/roles.sh")
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, direct)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, found := range defaults.FindAllStringSubmatch(string(script), -1) {
		database := pgx.Identifier{conn.Config().Database}.Sanitize()
		if _, err := conn.Exec(ctx,
			"alter role current_user in database "+database+" "+found[1]); err != nil {
			return err
		}
	}
	return nil
}
