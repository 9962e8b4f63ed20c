package embeddedpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// socketPrefix begins the name of each socket folder. It identifies servers that dg started.
const socketPrefix = "dg-postgres-"

var (
	errNotRunning    = errors.New("PostgreSQL is not running")
	errForeignServer = errors.New("dg did not start this PostgreSQL")
)

// Server is this process's handle on a data folder's server, which any process may have started.
type Server struct {
	postmaster
	data        dataDir
	folderLock  *os.File // the data folder, which withLock locks
	clusterLock *os.File // the cluster, with a shared lock; nil after Stop
}

// Start joins the server on the folder dir, or starts one with options as further arguments of the
// program postgres. It creates a missing cluster. While another process starts or stops the server,
// or the server recovers, it waits until ctx ends. It unsets libpq's environment variables, which
// are meant for other servers.
func Start(ctx context.Context, dir string, options ...string) (*Server, error) {
	for _, line := range os.Environ() { // PGSERVICE, for example, would make every session fail
		if name, _, _ := strings.Cut(line, "="); strings.HasPrefix(name, "PG") && name != "PG_BIN" {
			_ = os.Unsetenv(name)
		}
	}
	d, err := openDataDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &Server{data: d}
	if s.folderLock, err = os.Open(d.path); err != nil {
		return nil, err
	}
	err = s.withLock(ctx, func() error {
		err := s.join(ctx)
		if errors.Is(err, errNotRunning) {
			err = s.launch(ctx, options)
		}
		if err != nil {
			return err
		}
		if s.clusterLock, err = os.Open(d.filePath(clusterFolder)); err != nil {
			return err
		}
		// does not block: only Stop takes the exclusive lock, and only while it holds s.folderLock
		return syscall.Flock(int(s.clusterLock.Fd()), syscall.LOCK_SH)
	})
	if err != nil && ctx.Err() != nil && d.isRunning() {
		slog.WarnContext(ctx, "PostgreSQL keeps running: the next dg uses it, and the last one stops it")
	}
	if err != nil {
		return nil, errors.Join(err, s.folderLock.Close())
	}
	return s, nil
}

// withLock runs work while no other process starts, joins or stops the server.
func (s *Server) withLock(ctx context.Context, work func() error) error {
	if err := retry(ctx, func() error {
		if !tryLock(s.folderLock) {
			return fmt.Errorf("another process starts or stops PostgreSQL on %q; fuser names it",
				s.data.path)
		}
		return nil
	}); err != nil {
		return err
	}
	defer unlock(s.folderLock)
	return work()
}

// answerTimeout is when dg gives up on a silent server, or logs why it keeps waiting.
const answerTimeout = 10 * time.Second

// errNoAnswer marks an error that a longer wait does not resolve, unlike a server's recovery.
var errNoAnswer = errors.New("PostgreSQL does not answer")

func retry(ctx context.Context, try func() error) error {
	deadline := time.Now().Add(answerTimeout)
	for {
		err := try()
		if err == nil || errors.Is(err, errNotRunning) {
			return err
		}
		if time.Now().After(deadline) {
			if errors.Is(err, errNoAnswer) {
				return err
			}
			slog.WarnContext(ctx, "still waiting", "reason", err)
			deadline = deadline.Add(time.Minute)
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// join waits until the server accepts connections. It returns errNotRunning if none runs.
func (s *Server) join(ctx context.Context) error {
	return retry(ctx, func() (err error) {
		if !s.data.isRunning() {
			return errNotRunning
		}
		if s.postmaster, err = s.data.readPIDFile(); err != nil {
			return fmt.Errorf("%w: %w on %q: to stop it, send SIGINT to the process that fuser names "+
				"for %q", errNoAnswer, err, s.data.path, s.data.filePath(lockFile))
		}
		session, err := pgx.Connect(ctx, s.url("postgres", "postgres"))
		if e, answered := errors.AsType[*pgconn.PgError](err); answered && e.Code == "57P03" {
			return errors.New("PostgreSQL recovers: " + e.Message)
		}
		if err != nil && syscall.Kill(s.pid, 0) == syscall.ESRCH {
			return fmt.Errorf("%w: process %d on %q has ended, or is of another container, and others "+
				"remain: end those that fuser names for %q: %w", errNoAnswer, s.pid, s.data.path,
				s.data.filePath(lockFile), err)
		}
		if err != nil {
			return fmt.Errorf("%w: process %d runs on %q, but not at its socket %q, which may be of "+
				"another container or deleted: to stop it, send that process SIGINT: %w", errNoAnswer,
				s.pid, s.data.path, s.socket, err)
		}
		return session.Close(ctx)
	})
}

// URL returns the URL of the serving role, dg_app.
func (s *Server) URL() string { return s.url("dg_app", "dg") }

// OwnerURL returns the URL of the role that owns the tables, dg_owner.
func (s *Server) OwnerURL() string { return s.url("dg_owner", "dg") }

// RunningURL returns OwnerURL for the server on the folder dir, or an error if none runs.
func RunningURL(dir string) (string, error) {
	d := dataDir{path: dataPath(dir)}
	p, err := d.readPIDFile()
	if !d.isRunning() {
		err = errNotRunning
	}
	return p.url("dg_owner", "dg"), err
}

// Folder returns the data folder: for root it may differ from the dir given to Start.
func (s *Server) Folder() string { return s.data.path }

// Check returns an error if the server that Start returned has ended, was replaced, or has lost its
// socket. It ignores an unreadable PID file. It also bounds the server's log.
func (s *Server) Check() error {
	current, err := s.data.readPIDFile()
	running := s.data.isRunning()
	if running && err == nil && current != s.postmaster {
		return fmt.Errorf("embedded PostgreSQL on %q was started anew: start again", s.data.path)
	}
	if !running {
		log, _ := os.ReadFile(s.data.filePath(logFile))
		return fmt.Errorf("embedded PostgreSQL has ended: start again. Its log ends with:\n%s",
			log[max(0, len(log)-2_000):])
	}
	if !fileExists(s.socket) {
		return fmt.Errorf("embedded PostgreSQL has lost its socket %q: start again", s.socket)
	}
	s.data.rotateLog()
	return nil
}

const maxLog = 16 << 20 // in bytes

// rotateLog copies a log of at least maxLog to the old log and truncates it in place, like
// logrotate's copytruncate: PostgreSQL keeps the file open for appending.
func (d dataDir) rotateLog() {
	if info, err := os.Stat(d.filePath(logFile)); err != nil || info.Size() < maxLog {
		return // renamed by logrotate, or still short
	}
	if text, err := os.ReadFile(d.filePath(logFile)); err == nil {
		_ = os.WriteFile(d.filePath(logFile)+".old", text, 0o600) // fails on a full disk, or in root's folder
		_ = os.Truncate(d.filePath(logFile), 0)
	}
}

// Stop ends this process's use of the server, and shuts it down after the last use. If ctx ends
// during the shutdown, Stop fails and the shutdown continues. A second Stop does nothing.
func (s *Server) Stop(ctx context.Context) error {
	if s.clusterLock == nil {
		return nil
	}
	defer s.folderLock.Close()
	leave := sync.OnceFunc(func() {
		unlock(s.clusterLock)
		_, s.clusterLock = s.clusterLock.Close(), nil
	})
	defer leave() // also if ctx ends before withLock has the lock
	return s.withLock(ctx, func() error {
		isLastUser := tryLock(s.clusterLock)
		leave()
		if !isLastUser {
			return nil
		}
		// Another process may have restarted the server. join also waits for the end of its recovery.
		current := Server{data: s.data}
		if err := current.join(ctx); errors.Is(err, errNotRunning) {
			return nil
		} else if err != nil && current.pid == 0 {
			return err
		}
		_ = syscall.Kill(current.pid, syscall.SIGINT) // SIGINT is PostgreSQL's fast shutdown
		err := retry(ctx, func() error {
			if s.data.isRunning() {
				return fmt.Errorf("PostgreSQL on %q is still shutting down", s.data.path)
			}
			return nil
		})
		_ = os.RemoveAll(current.socket) // fails if only root may write to the parent folder
		return err
	})
}

// DropPrivileges changes from root to the server's user and returns that user's id. For other users
// it does nothing and returns 0. Call it after opening ports below 1024 and root's files.
func (s *Server) DropPrivileges() (uid int, err error) {
	if os.Geteuid() != 0 {
		return 0, nil
	}
	u := s.data.user
	return int(u.Uid), errors.Join(syscall.Setgroups(nil), syscall.Setgid(int(u.Gid)),
		syscall.Setuid(int(u.Uid)))
}

// postmaster has the data of postmaster.pid. The server may have ended since.
type postmaster struct {
	pid     int
	socket  string // the folder of the Unix socket
	cluster string // the cluster folder with which the server was started
}

func (d dataDir) readPIDFile() (p postmaster, err error) {
	text, err := os.ReadFile(d.filePath(pidFile))
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) < 6 || lines[4] == "" {
		return p, errors.New("PostgreSQL starts") // the server writes the file line by line
	}
	if !strings.HasPrefix(filepath.Base(lines[4]), socketPrefix) {
		return p, errForeignServer
	}
	p.cluster, p.socket = lines[1], lines[4]
	p.pid, err = strconv.Atoi(lines[0])
	return p, err
}

func (p postmaster) url(role, database string) string {
	host := strings.ReplaceAll(url.QueryEscape(p.socket), "+", "%20") // libpq does not decode +
	return fmt.Sprintf("postgres://%s@/%s?port=5432&connect_timeout=10&host=%s", role, database, host)
}

// isRunning reports whether any process of the server runs: each holds a lock on lockFile, or on
// logFile if dg 1.0.0 started it.
func (d dataDir) isRunning() bool {
	return slices.ContainsFunc([]string{lockFile, logFile}, func(name string) bool {
		file, err := os.Open(d.filePath(name))
		if err != nil {
			return false
		}
		defer file.Close()
		// The lock is shared, so that concurrent calls do not take each other for the server.
		if syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil {
			return true
		}
		unlock(file)
		return false
	})
}

// tryLock reports whether it could lock the file. Processes that inherit the file share the lock.
func tryLock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// unlock releases the lock. Close alone would not: between fork and exec, a child has the file too.
func unlock(file *os.File) { _ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
