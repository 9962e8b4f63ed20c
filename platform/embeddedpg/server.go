package embeddedpg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"syscall"
	"time"
)

const pollInterval = 20 * time.Millisecond
const logInterval = 10 * time.Second

// Options configure Start.
type Options struct {
	Logger   *slog.Logger      // nil: nothing is logged
	Settings map[string]string // PostgreSQL settings for the server if this process launches it
}

// Server is this process's use of the server on a data folder, which any process may have launched.
type Server struct {
	folder folder
	log    *slog.Logger
	lock   *os.File      // server.lock: it can be locked once the server has ended
	lease  *os.File      // run/users, open for writing; nil after Stop
	done   chan struct{} // closed when the server has ended
}

// Start joins the server on the folder dir, or launches one. It creates the folder and the database
// if needed. Only ctx bounds its wait while another process starts or stops a server, or a server
// recovers.
func Start(ctx context.Context, dir string, opts Options) (*Server, error) {
	log := cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	f, err := openFolder(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	s := &Server{folder: f, log: log, done: make(chan struct{})}
	if s.lock, err = f.openLock(); err != nil {
		return nil, err
	}
	err = s.await(ctx, "another process starts or stops PostgreSQL",
		func() (retry bool, err error) {
			if tryLock(s.lock) {
				return false, s.launch(ctx, opts.Settings)
			}
			err = s.join(ctx)
			return !errors.Is(err, fs.ErrPermission), err
		})
	if err != nil {
		_ = s.lock.Close()
		return nil, err
	}
	go s.watch()
	return s, nil
}

// join takes a lease on the running server and checks that it answers.
func (s *Server) join(ctx context.Context) error {
	// Opening fails without a reader of the pipe: the server is not there yet, or is ending.
	lease, err := os.OpenFile(s.folder.file(usersPipe),
		os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("join the PostgreSQL of another process: %w", err)
	}
	if err := execute(ctx, s.URL(), ""); err != nil {
		_ = lease.Close()
		return err
	}
	s.lease = lease
	s.log.Info("joined the PostgreSQL that runs on the data folder", "folder", s.folder.path)
	return nil
}

// await repeats try until it succeeds or says not to retry. It logs what it waits for.
func (s *Server) await(ctx context.Context, what string, try func() (retry bool, err error)) error {
	for logAt := time.Now().Add(logInterval); ; {
		retry, err := try()
		if err == nil || !retry {
			return err
		}
		if now := time.Now(); now.After(logAt) {
			logAt = now.Add(logInterval)
			s.log.Info("waiting: "+what, "folder", s.folder.path, "log", s.folder.file(logFile),
				"error", err)
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pollInterval):
		}
	}
}

// URL connects as the serving role, dg_app.
func (s *Server) URL() string { return s.folder.url("dg_app", "dg") }

// OwnerURL connects as the role that owns the tables, dg_owner.
func (s *Server) OwnerURL() string { return s.folder.url("dg_owner", "dg") }

// Done is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.done }

// Stop ends this use. The last user waits for the shutdown, which continues if ctx ends first. A
// second Stop does nothing.
func (s *Server) Stop(ctx context.Context) error {
	if s.lease == nil {
		return nil
	}
	_ = s.lease.Close()
	s.lease = nil
	return s.await(ctx, "PostgreSQL shuts down", func() (retry bool, err error) {
		select {
		case <-s.done:
		default:
			if !usedByOthers(s.folder.file(usersPipe)) {
				return true, fmt.Errorf("PostgreSQL on %q is still shutting down", s.folder.path)
			}
		}
		return false, nil
	})
}

// DropPrivileges turns root into the server's user and returns the user's id, or 0 for other users.
// Ports below 1024 and root's files must be open by then.
func (s *Server) DropPrivileges() (uid int, err error) {
	if os.Geteuid() != 0 {
		return 0, nil
	}
	u := s.folder.user
	return int(u.Uid), errors.Join(syscall.Setgroups(nil), syscall.Setgid(int(u.Gid)),
		syscall.Setuid(int(u.Uid)))
}

// watch closes done when no process of the server lives. It polls the lock, because another process
// may have launched the server. While it holds the lock it removes the socket's folder.
func (s *Server) watch() {
	for !tryLock(s.lock) {
		<-time.After(pollInterval)
	}
	_ = os.Remove(s.folder.socket)
	_ = s.lock.Close() // and so unlocks it
	close(s.done)
}

// usedByOthers reports whether any process holds the pipe for writing. A read without waiting
// distinguishes "no data yet" from "no writer"; a missing pipe belongs to a server that is ending.
func usedByOthers(pipe string) bool {
	fd, err := syscall.Open(pipe,
		syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer func() { _ = syscall.Close(fd) }()
	_, err = syscall.Read(fd, make([]byte, 1))
	return errors.Is(err, syscall.EAGAIN)
}
