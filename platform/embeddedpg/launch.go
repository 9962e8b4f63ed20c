package embeddedpg

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed supervisor.sh
var supervisor string

//go:embed setup.sql
var setupSQL string

// launch creates the database cluster if needed and starts the server. It holds the lock, so no
// process of an earlier server or initdb lives.
func (s *Server) launch(ctx context.Context, settings map[string]string) error {
	bin, err := s.folder.findProgram(ctx, "postgres")
	if err != nil {
		return err
	}
	if !exists(s.folder.file(dataFolder)) {
		s.log.Info("creating a PostgreSQL data folder", "folder", s.folder.path, "programs", bin)
		if err := s.initialise(ctx, bin); err != nil {
			return fmt.Errorf("creating the database in %q failed: %w", s.folder.path, err)
		}
	}
	if err := errors.Join(s.folder.makePrivate(s.folder.socket),
		s.folder.removeStaleLocks()); err != nil {
		return err
	}
	if err := s.run(ctx, bin, settings); err != nil {
		return err
	}
	s.log.Info("PostgreSQL started", "folder", s.folder.path, "programs", bin)
	_ = s.lock.Close() // this one is the server's now
	s.lock, err = s.folder.openLock()
	return err
}

// initialise runs initdb in another folder and renames it when it is complete. initdb inherits the
// lock, because it may outlive a killed dg.
func (s *Server) initialise(ctx context.Context, bin string) (err error) {
	f := s.folder
	incomplete := s.folder.file(newDataFolder)
	// Text sorts by code point everywhere. C.UTF-8 adds letters beyond ASCII, and not every system
	// has it.
	for _, ctype := range []string{"C.UTF-8", "C"} {
		if err := errors.Join(os.RemoveAll(incomplete), f.makePrivate(incomplete)); err != nil {
			return err
		}
		cmd := f.command(ctx, filepath.Join(bin, "initdb"), "-D", incomplete, "--username=postgres",
			"--auth-local=trust",
			"--auth-host=reject", "--encoding=UTF8", "--locale=C", "--lc-ctype="+ctype,
			"--data-checksums", "--no-instructions")
		cmd.ExtraFiles = []*os.File{s.lock}
		printed, failed := cmd.CombinedOutput()
		if failed == nil {
			return os.Rename(incomplete, f.file(dataFolder))
		}
		err = fmt.Errorf("%w\n%s", failed, printed)
	}
	return err
}

// removeStaleLocks removes the lock files of a killed server, whose process id may now be another
// process's. A server launched by hand does not hold our lock, but it answers.
func (f folder) removeStaleLocks() error {
	pidFile := filepath.Join(f.file(dataFolder), "postmaster.pid")
	socket := filepath.Join(f.socket, ".s.PGSQL.5432")
	text, _ := os.ReadFile(pidFile)
	lines := strings.Split(string(text)+"\n\n\n\n\n", "\n")
	for _, path := range []string{socket, filepath.Join(lines[4], ".s.PGSQL."+lines[3])} {
		//nolint:noctx // a local socket answers at once
		if conn, err := net.Dial("unix", path); err == nil {
			_ = conn.Close()
			return fmt.Errorf(
				"a PostgreSQL that dg did not launch (process %s) runs on %q: stop it first",
				lines[0], f.file(dataFolder),
			)
		}
	}
	return errors.Join(os.RemoveAll(pidFile), os.RemoveAll(socket), os.RemoveAll(socket+".lock"))
}

// run starts the server and returns when the database and the roles are ready.
func (s *Server) run(ctx context.Context, bin string, settings map[string]string) error {
	f := s.folder
	path := s.folder.file(logFile)
	if err := os.Rename(path, path+".old"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	log, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	// The server's user creates the pipe: root must not chown a file that this user could have
	// swapped (time-of-check race).
	pipe := f.file(usersPipe)
	_ = os.Remove(pipe)
	if err := f.command(ctx, "mkfifo", "-m", "600", pipe).Run(); err != nil {
		return fmt.Errorf("make the pipe %q: %w", pipe, err)
	}
	// O_RDWR, because O_WRONLY would block until the supervisor opens the pipe
	lease, err := os.OpenFile(pipe, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	cmd := f.command(context.Background(), "/bin/sh",
		append([]string{"-c", supervisor, "dg-postgres", pipe,
			// no context: the lease ends it
			filepath.Join(bin, "postgres")}, f.serverArguments(settings)...)...)
	cmd.ExtraFiles = []*os.File{s.lock}
	cmd.Stdout = log
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		_ = lease.Close()
		return fmt.Errorf("run PostgreSQL: %w", err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait()
	}()
	err = s.await(ctx, "PostgreSQL starts", func() (retry bool, err error) {
		select {
		case <-exited:
			return false, errors.New("it ended at once")
		default:
			return true, execute(ctx, f.url("postgres", "postgres"), "")
		}
	})
	if err == nil {
		err = f.setUp(ctx)
	}
	if err != nil {
		_ = lease.Close() // the supervisor ends the server
		<-exited
		printed, _ := os.ReadFile(path)
		return fmt.Errorf("PostgreSQL on %q did not start: %w\n%s", f.path, err, printed)
	}
	s.lease = lease
	return nil
}

// serverArguments hold settings in which a later one wins, and nothing in the data folder overrides
// any.
func (f folder) serverArguments(settings map[string]string) []string {
	args := []string{
		"-D", f.file(dataFolder), "-c", "shared_buffers=256MB", "-c", "max_wal_size=4GB", "-c",
		"wal_compression=on",
	}
	for name, value := range settings {
		args = append(args, "-c", name+"="+value)
	}
	return append(args, "-c", "port=5432", "-c", "listen_addresses=", "-c",
		"unix_socket_permissions=0700",
		"-c", "unix_socket_directories="+f.socket, "-c", "log_timezone=UTC", "-c",
		"log_destination=stderr", "-c", "logging_collector=off",
		// keeps values of statements out of the log
		"-c", "log_min_error_statement=panic", "-c", "log_parameter_max_length_on_error=0")
}

// command runs as the server's user in a new session, so that Ctrl-C at our terminal does not reach
// it. It does not inherit our environment, which may have secrets and settings of PostgreSQL.
func (f folder) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	//nolint:gosec // PostgreSQL's own programs
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = "/" // it keeps no file system busy
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: f.user}
	cmd.Env = []string{
		"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH"),
		"LD_LIBRARY_PATH=" + os.Getenv("LD_LIBRARY_PATH"),
	}
	return cmd
}

func (f folder) url(role, database string) string {
	query := url.Values{"host": {f.socket}, "connect_timeout": {"10"}}
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Path:     "/" + database,
		RawQuery: query.Encode(),
	}
	return u.String()
}

// execute runs statements on a new connection. An empty text checks that the server answers.
func execute(ctx context.Context, url, statements string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statements)
	return errors.Join(err, conn.Close(ctx))
}

// setUp creates the roles and the database if needed.
func (f folder) setUp(ctx context.Context) error {
	err := execute(ctx, f.url("postgres", "dg"), "")
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "3D000" { // no such database
		err = execute(ctx, f.url("postgres", "postgres"), "create database dg")
	}
	if err != nil {
		return err
	}
	return f.setUpDatabase(ctx, "dg")
}

// setUpDatabase creates the roles if needed, and makes the database that of its owner.
func (f folder) setUpDatabase(ctx context.Context, name string) error {
	return execute(ctx, f.url("postgres", name),
		strings.ReplaceAll(setupSQL, "database dg", "database "+name))
}
