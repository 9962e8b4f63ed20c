package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"syscall"
	"time"
)

// The roles and the database that the embedded server has.
const (
	superuser    = "postgres"
	ownerRole    = "dg_owner"
	servingRole  = "dg_app"
	databaseName = "dg"
)

const (
	// patience is how long a start waits for a server that another process of dg is starting or stopping, and for a
	// first answer of its own. A server that says that it is recovering is waited for as long as it says so.
	patience = 60 * time.Second
	poll     = 20 * time.Millisecond
)

// EmbeddedOptions say how the embedded server is used.
type EmbeddedOptions struct {
	Logger *slog.Logger // nil: nothing is logged

	// Exclusive is for `dg serve`: at most one process at a time holds a folder so. Others may use it beside it.
	Exclusive bool

	// Settings go to the server beside, and before, our own (`-c name=value`), when this start launches it.
	Settings map[string]string
}

// Embedded is this process's use of the server that runs on a folder, whoever launched it.
type Embedded struct {
	folder folder
	log    *slog.Logger
	socket string        // the folder of the Unix socket
	serve  *os.File      // the lock of an exclusive use; nil otherwise
	hold   *os.File      // our end of the pipe: the server lives as long as anybody holds one
	done   chan struct{} // closed when the server has ended
	left   chan struct{} // closed when this process has given the server back
}

// StartEmbedded gives the use of the PostgreSQL on the folder dir: it joins the server that runs there, or makes the
// database cluster where there is none and launches one. The server lives until the last process that uses it has
// stopped, exited or been killed.
//
// It fails with a sentence that says what to do: when another process holds the folder exclusively, no PostgreSQL 15
// or later can be found or got, the folder is not ours or can't be used, or the server doesn't start.
func StartEmbedded(ctx context.Context, dir string, opts EmbeddedOptions) (*Embedded, error) {
	log := cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	f, err := openFolder(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	e := &Embedded{folder: f, log: log, done: make(chan struct{}), left: make(chan struct{})}
	if opts.Exclusive {
		if e.serve, err = f.lockForServe(); err != nil {
			return nil, err
		}
	}
	if err := e.obtain(ctx, opts.Settings); err != nil {
		e.release()
		return nil, err
	}
	return e, nil
}

// obtain launches the server or joins the one that runs, whichever becomes possible first.
func (e *Embedded) obtain(ctx context.Context, settings map[string]string) error {
	begin, said := time.Now(), false
	for {
		lock, err := tryLock(e.folder.file(serverLock))
		if err != nil {
			return err
		}
		if lock != nil {
			defer lock.Close() // the server has inherited it by then
			return e.launch(ctx, lock, settings)
		}
		answer := e.join(ctx)
		if answer == nil {
			e.log.Info("using the PostgreSQL that already runs on the data folder", "folder", e.folder.path)
			go e.watch()
			return nil
		}
		if errors.Is(answer, fs.ErrPermission) {
			return fmt.Errorf("the PostgreSQL on the data folder %q runs as another user: run dg as that user: %w", e.folder.path, answer)
		}
		if isStarting(answer) {
			begin = time.Now()
		}
		if waited := time.Since(begin); waited > patience {
			return fmt.Errorf("the PostgreSQL on the data folder %q, launched by process %s, neither can be used nor ends: "+
				"stop that process, or see %q: %w", e.folder.path, readPID(e.folder.file(serverLock)), e.folder.file(logFile), answer)
		} else if waited > 2*time.Second && !said {
			said = true
			e.log.Info("waiting for the PostgreSQL on the data folder that another process starts or stops",
				"folder", e.folder.path, "process", readPID(e.folder.file(serverLock)))
		}
		if err := pause(ctx, poll); err != nil {
			return err
		}
	}
}

// join takes hold of the running server and proves that it answers.
func (e *Embedded) join(ctx context.Context) error {
	// Opening fails where no supervisor reads: there is no server, or it has begun to end. See supervisor.
	hold, err := os.OpenFile(e.folder.file(aliveFIFO), os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("it is starting or stopping: %w", err)
	}
	socket, err := e.folder.readSocket()
	if err == nil {
		err = ping(ctx, connectionURL(socket, servingRole, databaseName))
	}
	if err != nil {
		_ = hold.Close()
		return err
	}
	e.hold, e.socket = hold, socket
	return nil
}

// URL connects as the role that serves, dg_app.
func (e *Embedded) URL() string { return connectionURL(e.socket, servingRole, databaseName) }

// OwnerURL connects as the role that owns the tables, dg_owner.
func (e *Embedded) OwnerURL() string { return connectionURL(e.socket, ownerRole, databaseName) }

// Dir is the folder that is used: the one that was asked for, or where that one moved.
func (e *Embedded) Dir() string { return e.folder.path }

// Done is closed when the server has ended, asked or not.
func (e *Embedded) Done() <-chan struct{} { return e.done }

// Stop gives the server back. The last process to do so waits until it has shut down (fast, and after a bound
// immediate); where others still use it, Stop returns at once and it ends with them.
//
// It fails when ctx ends first; the shutdown goes on all the same. A second Stop does nothing.
func (e *Embedded) Stop(ctx context.Context) error {
	if e.hold == nil {
		return nil
	}
	defer e.release() // last: the next `dg serve` finds the folder free
	_ = e.hold.Close()
	e.hold = nil
	close(e.left)
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL on %q is still shutting down: %w", e.folder.path, ctx.Err())
		case <-time.After(poll):
		}
		if e.tidy() {
			return nil
		}
		if usedByOthers(e.folder.file(aliveFIFO)) {
			e.log.Info("PostgreSQL stays for the other processes that use the data folder", "folder", e.folder.path)
			return nil
		}
	}
}

// tidy reports whether the server has ended, and removes its socket's folder then. It does so under the lock: nobody
// can be launching the next server there.
func (e *Embedded) tidy() bool {
	lock, err := tryLock(e.folder.file(serverLock))
	if lock == nil {
		return err != nil
	}
	defer lock.Close()
	_ = os.Remove(e.socket)
	return true
}

// release gives back what this process holds.
func (e *Embedded) release() {
	for _, f := range []**os.File{&e.hold, &e.serve} {
		if *f != nil {
			_ = (*f).Close()
			*f = nil
		}
	}
}

// watch closes done when a server that another process launched has ended: it can't be waited for as a child can.
func (e *Embedded) watch() {
	for {
		select {
		case <-e.left:
			return
		case <-time.After(500 * time.Millisecond):
		}
		if e.folder.ended() {
			close(e.done)
			return
		}
	}
}

// usedByOthers reports whether any process holds the pipe for writing. Read without waiting, a pipe tells "nothing
// yet" apart from "nobody there"; one that is gone belongs to a server that is ending.
func usedByOthers(fifo string) bool {
	fd, err := syscall.Open(fifo, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer func() { _ = syscall.Close(fd) }()
	_, err = syscall.Read(fd, make([]byte, 1))
	return errors.Is(err, syscall.EAGAIN)
}

// connectionURL reaches the server over its socket: no password, the 0700 folder is what keeps others out.
func connectionURL(socket, role, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: url.Values{"host": {socket}}.Encode()}
	return u.String()
}

// pause waits for d, or fails as soon as ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
