package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// launch makes the cluster where there is none and starts the server. The caller holds the lock, so no process of an
// earlier server or initdb lives.
func (e *Embedded) launch(ctx context.Context, lock *os.File, settings map[string]string) error {
	begin := time.Now()
	writePID(lock)
	if err := os.Remove(e.folder.file(aliveFIFO)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("data folder %q: %w", e.folder.path, err)
	}
	bin, err := e.folder.binaries(ctx, e.log)
	if err != nil {
		return err
	}
	if err := e.folder.initialise(ctx, lock, bin, e.log); err != nil {
		return err
	}
	if err := e.folder.removeStalePID(); err != nil {
		return err
	}
	if e.socket, err = e.folder.makeSocketFolder(); err != nil {
		return fmt.Errorf("make a folder for PostgreSQL's socket: %w", err)
	}
	if err := e.start(ctx, lock, bin, settings); err != nil {
		return err
	}
	e.log.Info("PostgreSQL started", "version", bin.major, "folder", e.folder.path, "took", time.Since(begin).Round(time.Millisecond))
	return nil
}

// initialise makes the cluster in a folder beside the data and renames it when it is whole: whoever kills initdb
// leaves nothing that looks like a database.
func (f folder) initialise(ctx context.Context, lock *os.File, bin binaries, log *slog.Logger) error {
	if exists(f.file(dataFolder)) {
		return nil
	}
	log.Info("making a new PostgreSQL data folder", "folder", f.path, "version", bin.major)
	var printed string
	var err error
	// Sorting is by code point and the same everywhere; C.UTF-8 only adds the letters beyond ASCII, and not every
	// system has it.
	for _, ctype := range []string{"C.UTF-8", "C"} {
		if err := os.RemoveAll(f.file(newCluster)); err != nil {
			return fmt.Errorf("data folder %q: %w", f.path, err)
		}
		if err := f.makeOwn(f.file(newCluster)); err != nil {
			return fmt.Errorf("data folder %q: %w", f.path, err)
		}
		printed, err = f.runSupervised(ctx, lock, []string{bin.initdb(), "-D", f.file(newCluster), "--username=" + superuser,
			"--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C", "--lc-ctype=" + ctype,
			"--data-checksums", "--no-instructions"})
		if err == nil || !strings.Contains(printed, "invalid locale") {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("making the database in %q failed: %w\n%s", f.path, err, lastLines(printed))
	}
	if err := os.Rename(f.file(newCluster), f.file(dataFolder)); err != nil {
		return fmt.Errorf("data folder %q: %w", f.path, err)
	}
	if parent, err := os.Open(f.path); err == nil {
		_ = parent.Sync()
		_ = parent.Close()
	}
	return nil
}

// removeStalePID removes what a killed server has left. PostgreSQL would do so itself, unless its old process id
// belongs to another process of its user by now, which is common in a container. A server that somebody launched by
// other means does not hold our lock: it is recognised by its answer.
func (f folder) removeStalePID() error {
	path := filepath.Join(f.file(dataFolder), "postmaster.pid")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil //nolint:nilerr // there is none, which is the usual case
	}
	if lines := strings.Split(string(text), "\n"); len(lines) > 4 && lines[4] != "" {
		if answers(filepath.Join(lines[4], ".s.PGSQL."+lines[3])) {
			return fmt.Errorf("a PostgreSQL that dg did not launch (process %s) runs on %q: stop it first", lines[0], f.file(dataFolder))
		}
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("data folder %q: %w", f.path, err)
	}
	return nil
}

// serverSettings are passed on the command line, where nothing in the data folder can override them.
func serverSettings(socket string, extra map[string]string) []string {
	settings := map[string]string{
		"shared_buffers":  "256MB",
		"max_connections": "100",
		"max_wal_size":    "4GB",
		"wal_compression": "on",
	}
	maps.Copy(settings, extra)
	maps.Copy(settings, map[string]string{
		"listen_addresses":        "",
		"unix_socket_directories": `"` + socket + `"`,
		"unix_socket_permissions": "0700",
		"port":                    "5432",
		"timezone":                "UTC",
		"log_timezone":            "UTC",
		"lc_messages":             "C",
		"logging_collector":       "off",
		"log_destination":         "stderr",
		// No value that a statement carries may land in the log; errors in statements stay out of it altogether for
		// our roles (see setUp).
		"log_statement":                     "none",
		"log_min_duration_statement":        "-1",
		"log_min_error_statement":           "panic",
		"log_parameter_max_length":          "0",
		"log_parameter_max_length_on_error": "0",
	})
	args := make([]string, 0, 2*len(settings))
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}

// start runs the server and returns when the database and the roles are there.
func (e *Embedded) start(ctx context.Context, lock *os.File, bin binaries, settings map[string]string) error {
	log, begin, err := e.folder.openLog()
	if err != nil {
		return fmt.Errorf("open PostgreSQL's log: %w", err)
	}
	defer log.Close()
	alive := e.folder.file(aliveFIFO)
	r, w, err := makeFIFO(alive)
	if err != nil {
		return err
	}
	cmd := e.folder.supervised(r, lock, alive,
		append([]string{bin.postgres(), "-D", e.folder.file(dataFolder)}, serverSettings(e.socket, settings)...))
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Start()
	_ = r.Close()
	if err != nil {
		_ = w.Close()
		return fmt.Errorf("run PostgreSQL: %w", err)
	}
	go func() {
		_ = cmd.Wait()
		close(e.done)
	}()
	if err = e.answered(ctx); err == nil {
		err = setUp(ctx, e.socket)
	}
	if err != nil {
		_ = w.Close() // the supervisor ends the server
		<-e.done
		return fmt.Errorf("PostgreSQL on %q did not start: %w\n%s", e.folder.path, Redact(err), e.folder.logTail(begin))
	}
	e.hold = w
	return nil
}

var errEnded = errors.New("it ended at once")

// answered waits for the server's first answer; recovering after a crash may take minutes, and it says so.
func (e *Embedded) answered(ctx context.Context) error {
	begin, said := time.Now(), time.Now()
	for {
		err := ping(ctx, connectionURL(e.socket, superuser, superuser))
		switch {
		case err == nil:
			return nil
		case isStarting(err):
			begin = time.Now()
		case time.Since(begin) > patience:
			return err
		}
		if time.Since(said) > patience/4 {
			said = time.Now()
			e.log.Info("PostgreSQL is still starting", "folder", e.folder.path, "log", e.folder.file(logFile))
		}
		select {
		case <-e.done:
			return errEnded
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(poll):
		}
	}
}

func ping(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// isStarting reports whether the server lives and says that it can't answer yet.
func isStarting(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "57P03"
}

// lastLines is the end of a program's output, for an error.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}
