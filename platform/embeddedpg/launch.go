package embeddedpg

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

//go:embed setup.sql
var setupSQL string

// launch starts the server and waits until it takes connections. The caller has locked the folder,
// and no server of dg runs on it.
func (s *Server) launch(ctx context.Context, settings map[string]string) error {
	f := s.folder
	bin, err := FindProgram(ctx, f.path, "postgres")
	if err != nil {
		return err
	}
	if !exists(f.file(cluster)) {
		if err := s.initialise(ctx, bin); err != nil {
			return fmt.Errorf("creating the database in %q failed: %w", f.path, err)
		}
	}
	f.removeStale()
	socket, err := os.MkdirTemp("/tmp", socketPrefix)
	if err != nil { // such as in a container whose files are read-only
		socket, err = os.MkdirTemp(f.path, socketPrefix)
	}
	if err != nil {
		return err
	}
	_ = os.Rename(f.file(logFile), f.file(logFile)+".old")
	log, err := os.OpenFile(f.file(logFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(log.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	cmd := f.command(context.Background(), filepath.Join(bin, "postgres"),
		f.arguments(socket, settings)...)
	cmd.Stderr = log
	if err := errors.Join(f.chown(socket), f.chown(log.Name()), cmd.Start(), log.Close()); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	if err = s.join(ctx); errors.Is(err, errNotRunning) {
		printed, _ := os.ReadFile(log.Name())
		err = fmt.Errorf("PostgreSQL on %q did not start:\n%s", f.path, printed)
		return errors.Join(err, os.RemoveAll(socket))
	}
	return err
}

// chown makes the server's user the owner of a file.
func (f folder) chown(path string) error {
	return os.Lchown(path, int(f.user.Uid), int(f.user.Gid))
}

// removeStale removes the files of a killed server, because its process id may now belong to
// another process. PostgreSQL itself detects a server that dg did not start.
func (f folder) removeStale() {
	killed, err := f.readPIDFile()
	if !errors.Is(err, errByHand) {
		_ = os.RemoveAll(killed.socket)
		_ = os.Remove(f.file(pidFile))
	}
}

// initialise creates the cluster in a folder beside its own and renames it at the end, so that an
// interrupted run leaves no partial cluster. Text sorts by code point.
func (s *Server) initialise(ctx context.Context, bin string) error {
	incomplete := s.folder.file(newCluster)
	if err := errors.Join(os.RemoveAll(incomplete), os.Mkdir(incomplete, 0o700),
		s.folder.chown(incomplete)); err != nil {
		return err
	}
	for _, step := range []struct {
		input   string
		command []string
	}{
		{"", []string{"initdb", "-D", incomplete, "--username=postgres", "--auth-local=trust",
			"--auth-host=reject", "--encoding=UTF8", "--locale=C", "--data-checksums"}},
		{setupSQL, []string{"postgres", "--single", "-j", "-D", incomplete, "-c", "exit_on_error=on",
			"template1"}},
	} {
		cmd := s.folder.command(ctx, filepath.Join(bin, step.command[0]), step.command[1:]...)
		cmd.Stdin = strings.NewReader(step.input)
		cmd.ExtraFiles = []*os.File{s.lock} // it may outlive a killed dg
		if printed, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, printed)
		}
	}
	return os.Rename(incomplete, s.folder.file(cluster))
}

// arguments returns the arguments of postgres. A later argument wins, and all win over
// configuration files in the data folder.
func (f folder) arguments(socket string, settings map[string]string) []string {
	args := []string{"-D", f.file(cluster), "-c", "shared_buffers=256MB", "-c", "max_wal_size=4GB",
		"-c", "wal_compression=on"}
	for name, value := range settings {
		args = append(args, "-c", name+"="+value)
	}
	return append(args, "-c", "port=5432", "-c", "listen_addresses=",
		"-c", "unix_socket_permissions=0700", "-c", "unix_socket_directories="+socket,
		"-c", "log_timezone=UTC", "-c", "log_destination=stderr", "-c", "logging_collector=off",
		// keeps values of statements out of the log
		"-c", "log_min_error_statement=panic", "-c", "log_parameter_max_length_on_error=0")
}
