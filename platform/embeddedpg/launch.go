package embeddedpg

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed setup.sql
var setupSQL string

// launch starts the server and joins it. The caller holds s.folderLock and has found no running server.
func (s *Server) launch(ctx context.Context, options []string) error {
	d := s.data
	programFolder, err := FindPrograms(ctx, d.path)
	if err != nil {
		return err
	}
	if !fileExists(d.filePath(clusterFolder)) {
		if err := s.initialise(ctx, programFolder); err != nil {
			return fmt.Errorf("creating the database in %q failed: %w", d.path, err)
		}
	}
	lock, err := os.Open(d.filePath(lockFile))
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := retry(ctx, func() error { // isRunning, in another process, locks the file for an instant
		if !tryLock(lock) {
			return fmt.Errorf("%w: another program has locked %s", errNoAnswer, lock.Name())
		}
		return nil
	}); err != nil {
		return err
	}
	d.removeStalePIDFile()
	err = os.Rename(d.filePath(logFile), d.filePath(logFile)+".old")
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // such as a read-only file system
		return err
	}
	log, err := os.OpenFile(d.filePath(logFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	socket, err := os.MkdirTemp("/tmp", socketPrefix)
	if err != nil { // /tmp may be read-only, as in some containers
		socket, err = os.MkdirTemp(d.path, socketPrefix)
	}
	if err != nil {
		return err
	}
	cmd := d.command(context.Background(), filepath.Join(programFolder, "postgres"),
		d.arguments(socket, options)...)
	cmd.Stderr = log
	cmd.ExtraFiles = []*os.File{lock}
	if err := errors.Join(d.chown(socket), d.chown(log.Name()), cmd.Start(), log.Close(),
		lock.Close()); err != nil { // the lock stays: the server has inherited it
		return err
	}
	go func() { _ = cmd.Wait() }()
	if err = s.join(ctx); errors.Is(err, errNotRunning) {
		printed, _ := os.ReadFile(log.Name())
		err = fmt.Errorf("PostgreSQL on %q did not start:\n%s", d.path, printed)
		return errors.Join(err, os.RemoveAll(socket))
	}
	return err
}

// chown gives a file to the server's user: when dg runs as root, PostgreSQL must own its files.
func (d dataDir) chown(path string) error {
	if d.user == nil {
		return nil
	}
	return os.Lchown(path, int(d.user.Uid), int(d.user.Gid))
}

// removeStalePIDFile removes the socket and the PID file of a killed server: PostgreSQL may not
// start if another process now has that PID. It keeps the PID file of a server that dg did not
// start. In a copied data folder it keeps the socket, which the original's server uses.
func (d dataDir) removeStalePIDFile() {
	stale, err := d.readPIDFile()
	if stale.cluster == d.filePath(clusterFolder) {
		_ = os.RemoveAll(stale.socket)
	}
	if !errors.Is(err, errForeignServer) {
		_ = os.Remove(d.filePath(pidFile))
	}
}

// initialise renames newClusterFolder last, so that clusterFolder is either complete or missing.
func (s *Server) initialise(ctx context.Context, programFolder string) error {
	incomplete := s.data.filePath(newClusterFolder)
	if err := errors.Join(os.RemoveAll(incomplete), os.Mkdir(incomplete, 0o700),
		s.data.chown(incomplete)); err != nil {
		return err
	}
	for _, step := range []struct {
		stdin   string
		command []string
	}{
		{"", []string{"initdb", "-D", incomplete, "--username=postgres", "--auth-local=trust",
			"--auth-host=reject", "--encoding=UTF8", "--locale=C", "--data-checksums"}},
		{setupSQL, []string{"postgres", "--single", "-j", "-D", incomplete, "-c", "exit_on_error=on",
			"template1"}},
	} {
		cmd := s.data.command(ctx, filepath.Join(programFolder, step.command[0]), step.command[1:]...)
		cmd.Stdin = strings.NewReader(step.stdin)
		cmd.ExtraFiles = []*os.File{s.folderLock} // the program inherits the lock, because it may outlive a killed dg
		if printed, err := cmd.CombinedOutput(); err != nil {
			_, lookupErr := user.LookupId(strconv.Itoa(os.Geteuid()))
			if lookupErr != nil {
				lookupErr = fmt.Errorf("PostgreSQL needs a name for the user: add a line for it to "+
					"/etc/passwd, or run dg as another: %w", lookupErr)
			}
			return errors.Join(lookupErr, fmt.Errorf("%w\n%s", err, printed))
		}
	}
	return os.Rename(incomplete, s.data.filePath(clusterFolder))
}

// arguments returns the server's arguments. Those that options must not override are last, because
// PostgreSQL uses the last value.
func (d dataDir) arguments(socket string, options []string) []string {
	return slices.Concat(
		[]string{"-D", d.filePath(clusterFolder), "--shared_buffers=256MB", "--max_wal_size=4GB",
			"--wal_compression=on"},
		options,
		[]string{"--port=5432", "--listen_addresses=", "--unix_socket_permissions=0700",
			"--unix_socket_directories=" + socket, "--log_timezone=UTC", "--log_destination=stderr",
			"--logging_collector=off",
			// keeps statements and parameters of failed queries out of the log
			"--log_min_error_statement=panic", "--log_parameter_max_length_on_error=0"},
	)
}
